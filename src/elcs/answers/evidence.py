"""The reasons behind a result: which tests, which rules, which earlier findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from elcs.answers.roles import Role
from elcs.graph.pdag import Edge
from elcs.graph.rules import ARRANGEMENT, KNOWLEDGE, SEPARATED, Rule
from elcs.independence.base import TestResult

__all__ = ["CitedTest", "Direction", "Disagreement", "Evidence", "say_p"]


class CitedTest(NamedTuple):
    """A test that a claim rests on.

    Attributes
    ----------
    x, y : str
        The two variables.
    given : tuple of str
        What was held fixed.
    result : TestResult
        The outcome.
    correlation : float or None
        The partial correlation of the two, if each is one number to the test; a column of two levels is 1 for the
        second of them.
    strength : float or None
        How strong the association is, from 0 to 1, whatever the test and the number of rows.
    partial : bool
        Whether it rests on fewer rows than the table has, as values are missing in the others.
    """

    x: str
    y: str
    given: tuple[str, ...]
    result: TestResult
    correlation: float | None = None
    strength: float | None = None
    partial: bool = False

    @property
    def made(self) -> bool:
        """Whether it could be made."""
        return self.result.made

    @property
    def dependent(self) -> bool:
        """Whether it found the two to be dependent."""
        return self.result.reliable and not self.result.independent

    @property
    def said(self) -> str:
        """How it came out, in words; of how many rows, if not of all."""
        if not self.result.reliable:
            return "too few rows to test" if self.result.n_rows else "not tested"
        short = say_p(self.result.p_value)
        p = f"p {short}" if short.startswith("<") else f"p = {short}"
        return f"{p}, {self.result.n_rows:,} rows" if self.partial else p

    def to_dict(self) -> dict[str, Any]:
        """Return plain types."""
        return {
            "x": self.x,
            "y": self.y,
            "given": list(self.given),
            "statistic": self.result.statistic,
            "dof": self.result.dof,
            "p_value": self.result.p_value,
            "correlation": self.correlation,
            "n_rows": self.result.n_rows,
            "reliable": self.result.reliable,
            "independent": self.result.independent,
        }


@dataclass(frozen=True)
class Direction:
    """Why an edge points from cause to effect.

    Attributes
    ----------
    cause, effect : str
        The edge.
    rule : str
        The name of the rule: "spouse", "N-structure", "Lemma 1a", "Lemma 1b", "C2", "v-structure", "Meek 1" to
        "Meek 4", "knowledge" for what somebody said, "score" for what the best network says, "climb" for the best
        network that a climb reached, "better arrangement" for the best that a search over orders found, or "fit" for
        the graph that fits best.
    variables : tuple of str
        The other variables that the rule looked at.
    tests : tuple of CitedTest
        The tests it rests on.
    premises : tuple of Direction
        The directions it rests on.
    said : str
        The statement it rests on, if somebody said so.
    margin : float or None
        By how much every network found without this arrow scores less, in nats, if the method weighs that.
    share, opposite : float or None
        In how many half-samples it came back, and the opposite one, if the edge is open because of that.
    claimed : bool
        Whether the answer claims it; if not, the edge is open, and the data at most lean to it.
    """

    cause: str
    effect: str
    rule: Rule
    variables: tuple[str, ...]
    tests: tuple[CitedTest, ...]
    premises: tuple[Direction, ...]
    said: str = ""
    margin: float | None = None
    share: float | None = None
    opposite: float | None = None
    claimed: bool = True

    def say(self) -> str:
        """Say in words why the edge points this way, how sure that is, and on which statements it rests."""
        from elcs.answers.margins import say_decided  # which loads the search that the margins come from

        told = [self.rule.say(self)]
        if self.margin is not None:
            told.append(say_decided(self.margin))
        rests_on = dict.fromkeys(said for premise in self.premises for said in premise.statements)
        if rests_on:
            told.append(f"This rests on what you said: {'; '.join(rests_on)}.")
        return " ".join(told)

    @property
    def statements(self) -> tuple[str, ...]:
        """All that somebody said and that this rests on, be it through other directions."""
        further = (said for premise in self.premises for said in premise.statements)
        return tuple(dict.fromkeys((*([self.said] if self.said else []), *further)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain types."""
        return {
            "cause": self.cause,
            "effect": self.effect,
            "rule": self.rule,
            "variables": list(self.variables),
            "tests": [test.to_dict() for test in self.tests],
            "premises": [premise.to_dict() for premise in self.premises],
            "said": self.said or None,
            "margin": self.margin,
            "share": self.share,
            "opposite": self.opposite,
            "claimed": self.claimed,
        }


@dataclass(frozen=True)
class Disagreement:
    """Two rules that contradict each other, or a test that contradicts what somebody said.

    Attributes
    ----------
    first, second : Direction
        What they say.
    followed : bool
        Whether the first was followed; if not, the edge was left without direction.
    """

    first: Direction
    second: Direction
    followed: bool

    @property
    def edge(self) -> Edge:
        """Cause and effect according to the first."""
        return self.first.cause, self.first.effect

    def say(self) -> str:
        """Say in a sentence what contradicts what."""
        first, second = self.first, self.second
        arrow = f"{first.cause} -> {first.effect}"
        if first.rule == KNOWLEDGE:
            if second.rule == ARRANGEMENT:
                against = f"the data alone would decide that {second.cause} -> {second.effect}"
                return f"You said that {first.said}, but {against}. What you said was followed."
            said = first.say().removesuffix(".")
            against = second.say() if second.rule == SEPARATED else f"by the rule {second.rule} it is the opposite"
            return f"{said}, but {against}. What you said was followed."
        same = f" and by the rule {second.rule}" if first.rule != second.rule else " and"
        followed = f"{arrow} was followed" if self.followed else "the edge was left without direction"
        return f"The tests contradict each other: by the rule {first.rule}, {arrow},{same} the opposite; {followed}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain types."""
        return {"first": self.first.to_dict(), "second": self.second.to_dict(), "followed": self.followed}


@dataclass(frozen=True)
class Evidence:
    """What is known about one variable in relation to the target.

    Attributes
    ----------
    variable, target : str
        The two.
    role : str
        "parent", "child", "undirected" (a neighbour, direction unknown), "spouse", "member" (in the blanket; the
        method does not say as what) or "other".
    association : CitedTest or None
        The unconditional test of the two, if it was made.
    sets_tried : int
        How many sets failed to separate them.
    sets_untested : int
        How many of these could not be tested.
    separated_by : CitedTest or None
        The test that found them independent; for a neighbour, one that a score or somebody who knows overruled.
    shared_effects : tuple of str
        For a spouse: the children through which it is one.
    opened_by : CitedTest or None
        For a spouse: the test that finds it dependent on the target once a shared effect is held fixed; None if
        scores said so.
    direction : Direction or None
        Why the edge points the way it does.
    disagreements : tuple of Disagreement
        Rules that contradict each other about this edge.
    kept_apart_by : tuple of str
        The statements by which there is no edge between the two, if there are any.
    margin : float or None
        For a neighbour: by how much every network found without the edge scores less, if the method weighs that.
    leans : Direction or None
        For a neighbour of unknown direction: the one that the data lean to.
    taken_back : Direction or None
        For a neighbour of unknown direction: the one that it had before half-samples did not bear it out.
    would_share : tuple of Direction
        For a member of the blanket that is not said to be a spouse: the arrows from the target and from it to a common
        effect that would make it one, if the graph has them; not all of them are claimed.
    """

    variable: str
    target: str
    role: Role
    association: CitedTest | None
    sets_tried: int
    sets_untested: int
    separated_by: CitedTest | None
    shared_effects: tuple[str, ...]
    opened_by: CitedTest | None
    direction: Direction | None
    disagreements: tuple[Disagreement, ...]
    kept_apart_by: tuple[str, ...] = ()
    margin: float | None = None
    leans: Direction | None = None
    taken_back: Direction | None = None
    would_share: tuple[Direction, ...] = ()

    @property
    def connected(self) -> bool:
        """Whether the two are directly connected."""
        return self.role in ("parent", "child", "undirected")

    @property
    def correlation(self) -> float | None:
        """The correlation of the two with nothing held fixed, if each is one number to the test."""
        return None if self.association is None else self.association.correlation

    def to_dict(self) -> dict[str, Any]:
        """Return plain types."""
        return {
            "role": self.role,
            "correlation": self.correlation,
            "association": self.association and self.association.to_dict(),
            "sets_tried": self.sets_tried,
            "sets_untested": self.sets_untested,
            "separated_by": self.separated_by and self.separated_by.to_dict(),
            "shared_effects": list(self.shared_effects),
            "opened_by": self.opened_by and self.opened_by.to_dict(),
            "direction": self.direction and self.direction.to_dict(),
            "disagreements": [d.to_dict() for d in self.disagreements],
            "kept_apart_by": list(self.kept_apart_by),
            "margin": self.margin,
            "leans": self.leans and self.leans.to_dict(),
            "taken_back": self.taken_back and self.taken_back.to_dict(),
            "would_share": [direction.to_dict() for direction in self.would_share],
        }


def say_p(p: float) -> str:
    """Write a p-value for readers; where it is too small to matter how small, say so.

    Examples
    --------
    >>> say_p(0.0456), say_p(1e-200)
    ('0.046', '< 1e-15')
    """
    return "< 1e-15" if p < 1e-15 else f"{p:.2g}"
