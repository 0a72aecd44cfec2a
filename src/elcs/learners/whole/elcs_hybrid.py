"""ELCS-hybrid: tests propose the edges, a score arranges them, and only decided directions are claimed.

Ours, after MMHC (Tsamardinos, Brown and Aliferis 2006), with what its parts were found to be worth:

1. *Candidates.* HITON-PC for every variable; a pair is a candidate if either end found the other.
2. *Score.* BDeu with a prior worth five rows, or `Blocks` for numbers, less ln p for each parent, p being the number of
   columns. Two variables that the candidates neither join nor give a neighbour in common pay twice.
3. *Parent sets.* All sets of up to three candidates (two, if there are more than 14), larger ones by adding to a set
   that was worth it; those that a subset of theirs beats are dropped. Later, those around the sets of the best network.
4. *Order search.* The best network follows from an order of the variables: each has the best set of those before it.
   Variables are moved one at a time to where they gain most; then kicks, re-rooting in the equivalence class, and five
   neighbours at a time into the best of all places.
5. *Expansion.* Pairs become candidates where the score wants them in some network of the equivalence class. Then the
   ends of all paths of two edges do, and 4 and 5 are repeated, until nothing better is found; not so where values are
   missing.
6. The essential graph (CPDAG) of the best network or, if `decided`, only its decided directions (`steps/decide.py`).
7. If something is known beforehand, all is arranged once more without it: what would then be decided against it is
   noted as a conflict.

Where published hybrids climb from the empty network, half of the errors on Alarm at 5,000 rows are due to the climb.

Guarantee: in the limit of many rows, with correct tests and no cap on their sets, the candidates hold all true edges,
and the best network within them is in the true equivalence class if no variable has more than eight parents. The search
is no proof: it finds the optimum of every problem that could be checked. The order of columns and rows makes no
difference, ties being broken by the names. Nor do the random numbers of the search, unless it ends in another optimum
(`benchmarks/accuracy.py seeds`): on a network with near-certain relations, and on one with few rows, that happens.
Cost: HITON-PC for every variable, then a few thousand scores, 1 to 3 µs each, and a search of as many steps. Pairs that
are no candidates are scored once for each set of parents that a variable gets: p² (1 + |parents|) scores.
"""

from __future__ import annotations

from functools import partial

from elcs.independence.base import CITest
from elcs.learners.notes import Whole
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.arrange import arrange, begin, either_found, widen_for_margins
from elcs.learners.steps.decide import contradict, decide, draw
from elcs.learners.steps.neighbourhoods import learn_each
from elcs.scores.score import Score

__all__ = ["elcs_hybrid_whole"]


def elcs_hybrid_whole(
    ci: CITest,
    notes: Whole,
    *,
    score: Score,
    max_cond_size: int | None = 3,
    decided: bool = True,
    n_jobs: int = 1,
) -> None:
    """Learn the whole graph.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Whole
        What to fill in.
    score : Score
        Says how good a family is.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    decided : bool
        Give a direction only to the edges whose direction is decided; the others note the side they lean to. If not,
        all directions that the best network compels are given.
    n_jobs : int
        How many processes find the candidates; -1 for one per processor.
    """
    known = notes.knowledge
    near = {}
    for own in learn_each(ci, partial(hiton_pc, max_cond_size=max_cond_size), known, n_jobs=n_jobs):
        notes.separators.note(own.target, own.separators)
        near[own.target] = own.pc
    candidates = either_found(near)
    search = begin(score, candidates, knowledge=known)
    graph = notes.graph
    try:
        arrange(search)
    finally:  # a search that is stopped leaves the best network so far
        network = search.network
        essential = draw(graph, network, decided=decided)
    for x, y in known.required:
        if (apart := notes.separators.get(frozenset((x, y)))) is not None:
            graph.dispute(x, y, apart)
    for x in notes.variables:  # what the tests have separated, and the score has joined
        for y in graph.neighbours(x):
            if (apart := notes.separators.pop(frozenset((x, y)), None)) is not None:
                graph.overruled[frozenset((x, y))] = apart
    if decided:
        widen_for_margins(search)
        decide(ci, graph, search, network, essential, graph.leanings)
    if known:
        contradict(ci, score, candidates, graph)
