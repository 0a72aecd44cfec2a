"""The rules that give an edge its direction: each owns its name, and the sentence that says why it holds.

A learner names the rule in its notes (`Reason`). When somebody asks why, the rule is handed what it looked at and says
it in words; nobody else knows what a rule is about. To add a rule, add a `Rule` here or beside the learner that
applies it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

__all__ = [
    "ARRANGEMENT",
    "BEST_CLIMBED",
    "BEST_FIT",
    "BEST_SCORE",
    "C2",
    "HALF_SAMPLES",
    "KNOWLEDGE",
    "LEMMA_1A",
    "LEMMA_1B",
    "MEEK_1",
    "MEEK_2",
    "MEEK_3",
    "MEEK_4",
    "N_STRUCTURE",
    "SEPARATED",
    "SPOUSE",
    "V_STRUCTURE",
    "Rule",
    "listed",
]

Arrow: TypeAlias = tuple[str, str]


class Outcome(Protocol):
    """A test that was made, for the eyes of a reader."""

    @property
    def x(self) -> str:
        """The one variable."""

    @property
    def y(self) -> str:
        """The other."""

    @property
    def given(self) -> tuple[str, ...]:
        """What was held fixed."""

    @property
    def made(self) -> bool:
        """Whether it could be made."""

    @property
    def dependent(self) -> bool:
        """Whether it found the two to be dependent."""

    @property
    def said(self) -> str:
        """How it came out, in words: the p-value, or that there were too few rows."""


class Premise(Protocol):
    """A direction that another one rests on."""

    @property
    def cause(self) -> str:
        """Where the edge starts."""

    @property
    def effect(self) -> str:
        """Where it points."""

    @property
    def claimed(self) -> bool:
        """Whether the answer claims it, or leaves the edge open."""

    @property
    def margin(self) -> float | None:
        """By how much networks without it score less, if that was weighed."""

    @property
    def share(self) -> float | None:
        """In how many half-samples it came back, if it is open because of that."""


class Why(Protocol):
    """What a rule looked at."""

    @property
    def cause(self) -> str:
        """Where the edge starts."""

    @property
    def effect(self) -> str:
        """Where it points."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The other variables that the rule looked at."""

    @property
    def tests(self) -> Sequence[Outcome]:
        """The tests that it rests on."""

    @property
    def premises(self) -> Sequence[Premise]:
        """The directions that it rests on."""

    @property
    def said(self) -> str:
        """What somebody said, for a direction that rests on that."""


class Rule(str):
    """A rule of orientation: its name, which knows the sentence that goes with it.

    Parameters
    ----------
    name : str
        What it is called, in papers and in results.
    say : callable
        Says why an edge points the way it does, given a `Why`.

    Examples
    --------
    >>> MEEK_1, MEEK_1 == "Meek 1"
    ('Meek 1', True)
    """

    __slots__ = ("say",)
    say: Callable[[Why], str]

    def __new__(cls, name: str, say: Callable[[Why], str]) -> Rule:
        """Make a string that knows its sentence."""
        rule = super().__new__(cls, name)
        rule.say = say
        return rule

    def __getnewargs__(self) -> tuple[str, Callable[[Why], str]]:  # type: ignore[override]  # for pickle
        return str(self), self.say


def listed(names: Sequence[str]) -> str:
    """List names as a person would say them.

    Examples
    --------
    >>> listed(["rain", "sprinkler", "season"])
    'rain, sprinkler and season'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _other(why: Why) -> str:
    return why.variables[0] if why.variables else "another variable"


def _common_effect(why: Why) -> str:
    """Say what two independent causes of one effect look like."""
    cause, effect = why.cause, why.effect
    if not why.tests:
        return f"{cause} and {_other(why)} are not connected with each other, and both are causes of {effect}."
    apart = why.tests[0]
    given = f" given {listed(apart.given)}" if apart.given else ""
    independent = f"{apart.x} and {apart.y} are independent{given} ({apart.said})"
    if len(why.tests) == 1:
        return (
            f"{independent}, though both are connected with {effect}, which is not held fixed. Only a common effect "
            f"allows that, so {cause} -> {effect}."
        )
    together = why.tests[1]
    opened = next((v for v in together.given if v not in apart.given), effect)
    also = " as well" if apart.given else ""
    return (
        f"{independent}, but not once {opened} is held fixed{also} ({together.said}). Only a common effect does that, "
        f"so {cause} -> {effect}."
    )


def _resting_on(why: Why, *arrows: Arrow) -> str:
    """Say which directions a rule rests on; if the answer does not claim all of them, where they hold."""
    told = listed([f"{cause} -> {effect}" for cause, effect in arrows])
    unclaimed = [premise for premise in why.premises if not premise.claimed]
    if not unclaimed:
        return f"{told} {'is' if len(arrows) == 1 else 'are'} known"
    if any(premise.share is not None for premise in unclaimed):
        return f"By all rows {told}, though too few half-samples bear that out"
    undecided = [f"{premise.cause} -> {premise.effect}" for premise in unclaimed if premise.margin is not None]
    if not undecided:  # nobody asked how sure they are
        return f"In the arrangement that fits best, {told}"
    doubt = "which is not decided by itself"
    if len(arrows) > 1:
        every = len(undecided) == len(arrows)
        doubt = "neither is decided by itself" if every else f"{undecided[0]} is not decided by itself"
    return f"In the arrangement that fits best, {told} ({doubt})"


def _passes_through(why: Why) -> str:
    cause, effect, other = why.cause, why.effect, _other(why)
    connected, blocked = why.tests
    known = all(premise.claimed for premise in why.premises)
    told = f"{other} is a cause of {cause}" if known else _resting_on(why, (other, cause))
    return (
        f"{told}, and {other} and {effect} are connected ({connected.said}) but no longer once "
        f"{cause} is held fixed ({blocked.said}): the influence passes through {cause}, so {cause} -> {effect}."
    )


def _meek_1(why: Why) -> str:
    cause, effect, other = why.cause, why.effect, _other(why)
    return (
        f"{_resting_on(why, (other, cause))} and {other} is not connected with {effect}. If {effect} were a cause of "
        f"{cause} as well, {other} and {effect} would show as two causes of {cause}, and they do not; "
        f"so {cause} -> {effect}."
    )


def _meek_2(why: Why) -> str:
    cause, effect, other = why.cause, why.effect, _other(why)
    return (
        f"{_resting_on(why, (cause, other), (other, effect))}, so {effect} -> {cause} would close a circle; "
        f"hence {cause} -> {effect}."
    )


def _meek_3(why: Why) -> str:
    causes = listed(why.variables)
    if all(premise.claimed for premise in why.premises):
        told = f"{causes} are causes of {why.effect},"
    else:
        told = f"{_resting_on(why, *((v, why.effect) for v in why.variables))}. {causes} are"
    return (
        f"{told} connected with {why.cause} and not with each other. Were {why.effect} a "
        f"cause of {why.cause}, there would be a circle, or {causes} would show as two causes of {why.cause}; "
        f"so {why.cause} -> {why.effect}."
    )


def _meek_4(why: Why) -> str:
    cause, effect = why.cause, why.effect
    first, second = why.variables
    return (
        f"{_resting_on(why, (first, second), (second, effect))}, {cause} is connected with {first} and {second}, and "
        f"{first} is not connected with {effect}. Were {effect} a cause of {cause}, {first} would have to be one as "
        f"well so that there is no circle, and the two would show as two causes of {cause}; so {cause} -> {effect}."
    )


def _knowledge(why: Why) -> str:
    arrow = f"{why.cause} causes {why.effect}"
    return f"You said that {why.said}" + ("." if why.said == arrow else f", so {why.cause} -> {why.effect}.")


def _separated(why: Why) -> str:
    test = why.tests[0]
    given = f" given {listed(test.given)}" if test.given else ""
    return f"a test separates them: {test.x} and {test.y} are independent{given} ({test.said})"


def _best_score(why: Why) -> str:
    return (
        f"In the network that scores best, {why.cause} and {_other(why)} are two causes of {why.effect} that are not "
        f"connected with each other, and no network that scores as well turns the edge round; "
        f"so {why.cause} -> {why.effect}."
    )


def _best_climbed(why: Why) -> str:
    if not why.variables:
        return (
            f"In the network that scores best among those tried, {why.cause} is a cause of {why.effect}; but one with "
            "the edge turned round scores as well."
        )
    return (
        f"In the network that scores best among those tried, {why.cause} and {_other(why)} are two causes of "
        f"{why.effect} that are not connected with each other, and no network that implies the same turns the edge "
        f"round; so {why.cause} -> {why.effect}."
    )


def _best_arrangement(why: Why) -> str:
    cause, effect, other = why.cause, why.effect, _other(why)
    told = f"In the arrangement of all variables that fits best, {cause} and {other} are separate causes of {effect}"
    if len(why.tests) < 2:
        return f"{told}, and every arrangement that fits as well has {cause} -> {effect}."
    apart, together = why.tests[:2]
    held = f"with {listed(apart.given)} held fixed, " if apart.given else ""
    too = " as well" if apart.given else ""
    every = f"Every arrangement that fits as well has {cause} -> {effect}."
    if apart.dependent:
        return f"{told}, though {held}a test finds {apart.x} and {apart.y} dependent ({apart.said}). {every}"
    if not apart.made:
        return f"{told}, though {held}it cannot be tested whether {apart.x} and {apart.y} are independent. {every}"
    allow = f"{held}the data allow {apart.x} and {apart.y} to be independent ({apart.said})"
    if together.dependent:
        return f"{told}: {allow}, but less so with {effect} held fixed{too} ({together.said}). {every}"
    return (
        f"{told}. Tests of these alone do not show it: {allow}, and with {effect} held fixed{too} ({together.said}). "
        f"It is all variables together that speak for it. {every}"
    )


def _half_samples(why: Why) -> str:
    return f"{why.cause} -> {why.effect} comes back in more half-samples than the opposite."


def _best_fit(why: Why) -> str:
    return (
        f"In the graph that fits the numbers best, {why.cause} -> {why.effect}; other graphs, among them graphs with "
        "this edge turned round, may fit almost as well."
    )


SPOUSE = Rule("spouse", _common_effect)
N_STRUCTURE = Rule("N-structure", _common_effect)
LEMMA_1A = Rule("Lemma 1a", _common_effect)
LEMMA_1B = Rule("Lemma 1b", _passes_through)
C2 = Rule("C2", _common_effect)
V_STRUCTURE = Rule("v-structure", _common_effect)
MEEK_1 = Rule("Meek 1", _meek_1)
MEEK_2 = Rule("Meek 2", _meek_2)
MEEK_3 = Rule("Meek 3", _meek_3)
MEEK_4 = Rule("Meek 4", _meek_4)
KNOWLEDGE = Rule("knowledge", _knowledge)
SEPARATED = Rule("separated", _separated)
ARRANGEMENT = Rule("better arrangement", _best_arrangement)
BEST_SCORE = Rule("score", _best_score)
BEST_CLIMBED = Rule("climb", _best_climbed)
BEST_FIT = Rule("fit", _best_fit)
HALF_SAMPLES = Rule("half-samples", _half_samples)
