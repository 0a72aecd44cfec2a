"""LDECC, local discovery by eager collider checks: the edges at a variable, from tests anywhere in the table.

S. Gupta, D. Childers and Z. C. Lipton (2023), Local causal discovery for estimating causal effects, Proceedings of
Machine Learning Research 213 (CLeaR). Once the neighbours of the target X are known, tests are made as PC makes them,
over all pairs. Each time a set S separates two variables A and B, that is looked at for what it says about X:

- *Eager collider check.* If A and B are no longer independent once X is held fixed as well, X is an effect of both, and
  of all that is in S. For each of these that is a neighbour, it is a cause of X; for each that is not, so are the
  neighbours that separate it from X (its minimal neighbour separator).
- If A and B are neighbours of X and S holds X, one of them is an effect of X, so if one is a cause, the other is not
  (Meek's rule 1). A third neighbour that makes the two dependent again when it is held fixed is an effect of X.

It stops as soon as all edges at X have a direction. Other local learners go from one variable to the next; this one may
find what it needs far away at once, or need all the tests of PC.

Two things differ from the authors' program, which with perfect tests errs as follows.

- It looks for neighbours by PC within the blanket that IAMB finds, and takes no sets with variables that it has
  separated from X. So Y stays a neighbour of X in X>K D>K D>Y K>Y Y>L X>L, where only {K, D} separates the two. Here
  sets are taken from the whole blanket.
- Of the set S it looks at neighbours of X alone, and so leaves B - X open in B>X D>B D>G E>X E>B E>D G>X G>B: the
  check on E and G, which D separates, says something about D, and B is in what separates D from X.

Guarantee: exactly the edges at the target of the essential graph (CPDAG), given faithfulness, no hidden common causes,
correct tests and no cap on the conditioning sets. What is said is proven; that nothing is left open that is determined
has been checked on all graphs of up to five variables. A cap or a finite sample voids it. Of other members of the
blanket it does not say through which effect they are related to the target.
Cost: IAMB, then up to 2^|MB| tests for each of its members, then those of PC, until all edges have a direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from elcs.graph.pdag import Question, Reason
from elcs.graph.rules import MEEK_1, SPOUSE, V_STRUCTURE, Rule, Why, listed
from elcs.independence.base import CITest
from elcs.learners.blankets.iamb import iamb
from elcs.learners.notes import Blanket, Local, sizes_up_to
from elcs.learners.steps.arrows import orient_around
from elcs.learners.steps.distinguish import collider_tests
from elcs.learners.steps.shared_effects import opens

__all__ = ["ldecc"]


def ldecc(ci: CITest, notes: Local, *, max_cond_size: int | None = 3, blanket: Callable[..., None] = iamb) -> None:
    """Learn the edges at ``notes.target`` and their directions.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Local
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    blanket : callable
        The blanket learner; that of the paper knows no such limit.
    """
    found = notes.open(notes.target)
    find_neighbours(ci, found, blanket, max_cond_size)
    found.note_known()
    mark_children(ci, found, max_cond_size)
    try:
        checks = _Checks(ci, found, max_cond_size)
        for a, b, apart in separated_pairs(ci, found, max_cond_size):
            checks.look_at(a, b, apart)
            if not found.undirected:
                break
        found.done = True
    finally:
        orient_around(notes.graph, found)


def find_neighbours(ci: CITest, found: Blanket, blanket: Callable[..., None], max_cond_size: int | None) -> None:
    """Find the Markov blanket, and the neighbours in it."""
    whole = found.beside(found.target)
    blanket(ci, whole, max_cond_size=max_cond_size)
    members = sorted({*whole.pc, *whole.all_spouses, *whole.members})
    found.marginal = whole.marginal
    found.separators.update({x: apart for x, apart in whole.separators.items() if x not in members})
    found.pc[:] = [y for y in members if not found.keeps_apart(y)]
    for y in tuple(found.pc):
        among = [x for x in members if x != y]
        found.separate(ci, y, among, sizes_up_to(max_cond_size, among))
    found.members = [x for x in members if x not in found.pc]


def mark_children(ci: CITest, found: Blanket, max_cond_size: int | None) -> None:
    """Note which neighbours are effects that the target shares with another member of its blanket.

    Which of several such effects that member acts on directly is not asked.
    """
    for y in found.undirected:
        for x in found.members:
            if not found.knowledge.forbids(x, y) and opens(ci, found, x, y, max_cond_size):
                found.children[y] = Reason(SPOUSE, (x,), collider_tests(found, x, y))
                break


def separated_pairs(
    ci: CITest, found: Blanket, max_cond_size: int | None
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield pairs of other variables that a set separates, and the set, in the order in which PC-stable finds them."""
    target, known = found.target, found.knowledge
    names = sorted((x for x in ci.variables if x != target), key=lambda x: (x not in found.pc, x))
    adjacent = {x: {y for y in names if y != x and not known.apart(x, y)} for x in names}
    for x in found.pc:
        adjacent[x].add(target)
    for size in sizes_up_to(max_cond_size, names):
        before = {x: sorted(near) for x, near in adjacent.items()}
        if all(len(near) <= size for near in before.values()):
            return
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                for x, y in ((a, b), (b, a)):
                    if y not in adjacent[x]:
                        break
                    pool = known.pool(x, y, [z for z in before[x] if z != y])
                    apart = ci.separator(x, y, pool, sizes=(size,))
                    if apart is not None:
                        adjacent[x].discard(y)
                        adjacent[y].discard(x)
                        yield a, b, apart
                        break


@dataclass
class _Checks:
    """What pairs of variables that a set separates say about the neighbours of the target."""

    ci: CITest
    found: Blanket
    max_cond_size: int | None
    non_colliders: list[Question] = field(default_factory=list)

    def look_at(self, a: str, b: str, apart: tuple[str, ...]) -> None:
        """Draw the conclusions from one pair and the set that separates it."""
        target, pc = self.found.target, self.found.pc
        both = a in pc and b in pc
        if target in apart:
            if both:
                self.non_colliders.append((a, b, apart))
                self.note_opened(a, b, apart)
        elif self.dependent(a, b, (*apart, target)):
            tests = (a, b, apart), (a, b, (*apart, target))
            if both:
                self.note(a, Reason(V_STRUCTURE, (b,), tests))
                self.note(b, Reason(V_STRUCTURE, (a,), tests))
            for x in (*apart, *(() if both else (a, b))):
                self.note_separator(x, (a, b), tests)
        self.pass_on()

    def dependent(self, a: str, b: str, given: tuple[str, ...]) -> bool:
        """Tell whether two variables depend on each other; a test that is not reliable does not show it."""
        return self.ci.association(a, b, given) > 0

    def note(self, y: str, reason: Reason) -> None:
        """Note that a neighbour without a role is a parent."""
        if y in self.found.undirected:
            self.found.parents[y] = reason

    def note_separator(self, x: str, pair: tuple[str, str], tests: tuple[Question, ...]) -> None:
        """Note that the neighbours through which x acts on the target are its parents."""
        target, pc = self.found.target, self.found.pc
        if x in pc:
            self.note(x, Reason(EAGER if x in pair else BEHIND, pair, tests))
            return
        among = self.found.knowledge.pool(target, x, pc)
        through = self.ci.separator(target, x, among, sizes=sizes_up_to(self.max_cond_size, among))
        for y in through or ():
            self.note(y, Reason(EAGER, pair, (*tests, (x, target, through or ()))))

    def note_opened(self, a: str, b: str, apart: tuple[str, ...]) -> None:
        """Note that neighbours which connect two that the target separates are children."""
        for y in self.found.undirected:
            if y not in (a, b, *apart) and self.dependent(a, b, (*apart, y)):
                self.found.children[y] = Reason(OPENED, (a, b), ((a, b, apart), (a, b, (*apart, y))))

    def pass_on(self) -> None:
        """Note that what is separated from a parent by the target is a child."""
        for a, b, apart in self.non_colliders:
            for cause, effect in ((a, b), (b, a)):
                if cause in self.found.parents and effect in self.found.undirected:
                    premise = ((cause, self.found.target),)
                    self.found.children[effect] = Reason(MEEK_1, (cause,), ((cause, effect, apart),), premise)


def _shared_effect(why: Why) -> str:
    """Say how a variable shows to be an effect of two others."""
    apart, together = why.tests[:2]
    given = f" given {listed(apart.given)}" if apart.given else ""
    return (
        f"{apart.x} and {apart.y} are independent{given} ({apart.said}), but not once {why.effect} is held fixed as "
        f"well ({together.said}), so {why.effect} is an effect of both."
    )


def _say_eager(why: Why) -> str:
    arrow = f"so {why.cause} -> {why.effect}."
    if len(why.tests) < 3:
        return f"{_shared_effect(why)} {why.cause} is one of the two and directly connected with it; {arrow}"
    through = why.tests[2]
    told = f"{through.x} acts on it through {listed(through.given)}, which separates the two ({through.said})"
    return f"{_shared_effect(why)} {told}; {arrow}"


def _say_behind(why: Why) -> str:
    return (
        f"{_shared_effect(why)} {why.cause}, which is needed to separate the two, is a cause of one of them, and hence "
        f"of {why.effect}; so {why.cause} -> {why.effect}."
    )


def _say_opened(why: Why) -> str:
    return (
        f"{_shared_effect(why)} {why.cause} is between the two, and not an effect of both; "
        f"so {why.cause} -> {why.effect}."
    )


EAGER = Rule("eager collider check", _say_eager)
BEHIND = Rule("cause of a cause", _say_behind)
OPENED = Rule("opened by an effect", _say_opened)
