"""HITON-PC, interleaved: the parents and children of a variable.

C. F. Aliferis, A. Statnikov, I. Tsamardinos, S. Mani and X. D. Koutsoukos (2010), Local causal and Markov blanket
induction for causal discovery and feature selection, part I, Journal of Machine Learning Research 11.

Guarantee: with perfect tests and no cap on the conditioning sets, all parents and children are found; some of
their descendants may be found as well (EMB and a symmetry check remove them).
Cost: one test per variable, then up to 2^|PC| per candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

from elcs.independence.base import CITest
from elcs.learners.notes import Blanket, sizes_up_to

__all__ = ["hiton_pc", "hiton_pc_among"]


def hiton_pc(ci: CITest, notes: Blanket, *, max_cond_size: int | None = 3) -> None:
    """Find the parents and children of ``notes.target``, with a separating set for every other variable."""
    hiton_pc_among(ci, notes, ci.variables, max_cond_size)


def hiton_pc_among(ci: CITest, notes: Blanket, among: Sequence[str], max_cond_size: int | None) -> None:
    """Find those of some variables that no set of the others separates from the target."""
    for newest in candidates(ci, notes, among):
        notes.pc.append(newest)
        # From the newest to the oldest: the newest against every subset of the others, an older one against
        # those that hold the newest, as all others were tried before.
        for y in reversed(tuple(notes.pc)):
            others = [x for x in notes.pc if x != y]
            sizes = sizes_up_to(max_cond_size, others)
            separated = notes.separate(ci, y, others, sizes, containing=() if y == newest else (newest,))
            if separated and y == newest:
                break


def candidates(ci: CITest, notes: Blanket, among: Sequence[str] | None = None) -> list[str]:
    """Return the variables that depend on the target, strongest first; note the others as separated by nothing.

    By default, all variables are asked. A test that is not reliable makes no candidate. Those that are equally strong
    come in the order of their names, so that the order of the columns makes no difference; a millionth is no
    difference, as it may be due to rounding. What knowledge requires is a candidate in any case and comes first; what
    it keeps apart from the target is not even tested.
    """
    others = [x for x in (ci.variables if among is None else among) if x != notes.target]
    if notes.knowledge:
        others = [x for x in others if not notes.keeps_apart(x)]
    notes.marginal = results = ci.test_each(notes.target, others)
    dependent = results.dependent
    found = sorted(dependent, key=lambda x: (-round(dependent[x], 6), x))
    required = [x for x in sorted(others) if notes.requires(x)] if notes.knowledge else []
    untested = [x for x in required if not results[x].reliable]
    apart = dict.fromkeys(others, ())
    for x in (*dependent, *untested):
        del apart[x]
    notes.separators.update(apart)
    return [*required, *(x for x in found if x not in required)] if required else found
