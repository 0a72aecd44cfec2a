"""CMB, causal Markov blanket: the direct causes and effects of a variable from changes of independence around it.

T. Gao and Q. Ji (2015), Local causal discovery of direct causes and effects, Advances in Neural Information Processing
Systems 28. For two neighbours X and Y of T and a set Z of other variables there are four cases:

- C1, independent given Z, and given Z and T: impossible.
- C2, independent given Z, but not given Z and T: both are causes of T.
- C3, dependent given Z, but not given Z and T: at least one is an effect of T, so if one is a cause, the other is not.
- C4, dependent given Z, and given Z and T: X and Y are adjacent, or another Z has to be tried.

Where the paper leaves a choice, or as printed would not keep its promise, we decide as follows.

- Blankets are those of HITON-MB, but neighbours must find each other. HITON-MB takes I for a neighbour of T in
  T>K D>K D>I K>I.
- Z is what HITON-PC found to separate X from Y. The paper tries the empty set and the whole blanket of X, and neither
  works in A>X A>Y X>T Y>T X>W Y>W.
- Directions are passed on by all of Meek's rules. The paper passes them on by case C3, which is the first of them, and
  so leaves D - T open in A>K D>K D>T K>T.

Guarantee: exactly the edges at the target of the essential graph (CPDAG), given faithfulness, no hidden common
causes, correct tests and no cap on the conditioning sets. A cap or a finite sample voids it.
Cost: that of HITON-PC for each variable whose blanket is learnt and for all its neighbours; at worst for all variables.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from elcs.graph.pdag import Reason
from elcs.graph.rules import C2
from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, Local
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.steps.arrows import Chain, orient_around, resolve
from elcs.learners.steps.distinguish import recognise_children

__all__ = ["cmb"]


def cmb(ci: CITest, notes: Local, *, max_cond_size: int | None = 3, pc: Callable[..., None] = hiton_pc) -> None:
    """Learn the edges at ``notes.target`` and their directions.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Local
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    pc : callable
        The learner of parents and children.
    """
    graph = notes.graph
    chains: list[Chain] = []
    x: str | None = notes.target
    while x is not None:
        # Steps 1 and 2: the blanket, and the cases that it shows.
        found = find_blanket(ci, notes, x, pc, max_cond_size)
        chains += causal_search(ci, notes, found)
        found.done = True
        orient_around(graph, found)

        # Step 3: what follows from the blankets learnt so far; if that is not enough, another one.
        resolve(graph, chains)
        x = graph.nearest_unsettled(notes.target)


def find_blanket(ci: CITest, notes: Local, x: str, pc: Callable[..., None], max_cond_size: int | None) -> Blanket:
    """Learn the neighbours of x and, among the neighbours of its neighbours, its spouses."""

    def neighbours(y: str) -> Blanket:
        if y not in notes.blankets:
            pc(ci, notes.open(y), max_cond_size=max_cond_size)
        return notes.blankets[y]

    found = neighbours(x)
    for y in tuple(found.pc):
        other = neighbours(y)
        if x not in other.pc:
            found.pc.remove(y)
            found.separators[y] = other.separators[x]

    for y in found.pc:
        for z in notes.blankets[y].pc:
            if z != x and z not in found.pc and is_spouse(ci, found, z, y, max_cond_size):
                found.spouses.setdefault(y, []).append(z)
    return found


def is_spouse(ci: CITest, found: Blanket, z: str, y: str, max_cond_size: int | None) -> bool:
    """Tell whether z, which passes for a neighbour of y, and the target are causes of y.

    A mere descendant of y does not get through: a smallest set that separates it from the target without y would
    separate it from y as well, and then holding y fixed would change nothing.
    """
    apart = found.set_apart(ci, z, max_cond_size)
    return apart is not None and y not in apart and not ci.independent(z, found.target, (*apart, y))


def causal_search(ci: CITest, notes: Local, found: Blanket) -> list[Chain]:
    """Recognise children by their spouses and parents by case C2; return the pairs of case C3."""
    t, chains = found.target, []
    found.note_known()
    recognise_children(found)
    for x, y in combinations(found.pc, 2):
        apart = notes.blankets[x].separators.get(y, notes.blankets[y].separators.get(x))
        if apart is None:
            continue
        if t in apart:
            chains.append((x, t, y, apart))
        elif x not in found.children and y not in found.children and not ci.independent(x, y, (*apart, t)):
            tests = ((x, y, apart), (x, y, (*apart, t)))
            found.parents.setdefault(x, Reason(C2, (y,), tests))
            found.parents.setdefault(y, Reason(C2, (x,), tests))
    return chains
