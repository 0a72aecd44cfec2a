"""Evidence in words that need no statistics beyond a p-value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from elcs.answers.evidence import CitedTest, Direction, Disagreement, Evidence
from elcs.answers.margins import say_edge, say_leaning
from elcs.data.profile import Profile
from elcs.graph.rules import ARRANGEMENT, KNOWLEDGE, SEPARATED, listed
from elcs.learners.steps.arrange import BETTER
from elcs.learners.steps.decide import LEAST_P

__all__ = ["Words", "explain", "say_r"]


class Words(NamedTuple):
    """What tests and columns are called.

    Attributes
    ----------
    statistic : str
        The name of the statistic of the tests.
    untestable : str
        Why a test may not be reliable.
    profile : Profile or None
        What the columns hold.
    """

    statistic: str
    untestable: str
    profile: Profile | None

    def second_level(self, name: str) -> str | None:
        """Return the second level of a column that has two."""
        p = self.profile
        at = p.names.index(name) if p is not None else 0
        return str(p.first_levels[at][1]) if p is not None and p.n_levels[at] == 2 else None


def explain(evidence: Evidence, *, complete: bool, settles: bool, words: Words) -> str:
    """Say in a few sentences what a variable is to the target, and why.

    `complete` says whether the run reached its end, and `settles` whether the method settles every direction that data
    can settle.
    """
    x, t = evidence.variable, evidence.target
    if evidence.connected:
        sentences = [_connected(evidence, words)]
        if evidence.margin is not None:
            sentences.append(say_edge(evidence.margin))
        if evidence.direction is not None:
            disputed = any(d.first == evidence.direction for d in evidence.disagreements if d.first.rule == KNOWLEDGE)
            sentences += [] if disputed else [evidence.direction.say()]  # the disagreement says it
        elif evidence.taken_back is not None:
            sentences.append(_unsteady(evidence.taken_back, evidence.leans))
        elif evidence.leans is not None:
            leans = evidence.leans
            sentences.append(say_leaning(leans.cause, leans.effect, leans.margin, _against(leans)))
        elif not complete:
            sentences.append("The run was stopped before the direction was settled.")
        elif not settles:
            sentences.append(f"Whether {x} is a cause or an effect, this method does not say.")
        elif not evidence.disagreements:
            sentences.append(_open(evidence))
        sentences += [_disagreement(d) for d in evidence.disagreements]
        return " ".join(sentences)
    if evidence.role == "spouse":
        return f"{_through(evidence)}, so {x} helps to predict {t}: it belongs to its Markov blanket."
    if evidence.role == "member":
        belongs = f"{x} belongs to the Markov blanket of {t}"
        if evidence.would_share:
            return f"{belongs} {_would_share(evidence.would_share)}"
        return f"{belongs}; the method does not say whether as cause, effect or otherwise."
    if evidence.separated_by is None and not evidence.kept_apart_by and not complete:
        return f"The run was stopped before it was settled whether {x} is connected with {t}."
    return _apart(evidence)


def _open(evidence: Evidence) -> str:
    """Say that nothing speaks for one of the two directions."""
    x, t = evidence.variable, evidence.target
    if evidence.margin is not None and evidence.margin < BETTER:
        return "Its direction stays open, too."  # that of an edge without which the data fit as well
    return f"The data fit {x} -> {t} and {t} -> {x} equally well, so the direction stays open."


def _would_share(arrows: Sequence[Direction]) -> str:
    """Say through which common effect a variable would be in the blanket, and which of the arrows is open."""
    unsteady = any(arrow.share is not None for arrow in arrows)
    where = "as all rows say" if unsteady else "as in the arrangement that fits best"
    weighed = [arrow for arrow in arrows if not arrow.claimed and (arrow.margin, arrow.share) != (None, None)]
    told = listed([f"{arrow.cause} -> {arrow.effect}" for arrow in weighed or arrows])
    decided = "is not decided" if len(weighed or arrows) == 1 else "are not decided"
    return f"if both are causes of {arrows[0].effect}, {where}; but {told} {decided}."


def _against(leans: Direction) -> str:
    """Say which test does not bear out what a direction rests on."""
    for test in _independences(leans):
        given = f" given {listed(test.given)}" if test.given else ""
        if not test.result.made:
            why = "" if test.result.reliable else f" ({test.said})"
            return f"it rests on {test.x} and {test.y} being independent{given}, which cannot be tested{why}"
        if test.result.p_value < LEAST_P:
            return f"it rests on {test.x} and {test.y} being independent{given}, which a test denies ({test.said})"
    return "the tests do not bear out what it rests on"


def _independences(why: Direction) -> Iterator[CitedTest]:
    """Yield the tests of the independences that a direction of the best arrangement rests on."""
    yield from why.tests[:1] if why.rule == ARRANGEMENT else why.tests
    for premise in why.premises:
        yield from _independences(premise)


def _unsteady(claim: Direction, leans: Direction | None) -> str:
    """Say that half-samples do not bear a direction out, and which one they lean to."""
    often = f"only {claim.share:.0%} of the half-samples, and the opposite in {claim.opposite:.0%}"
    lean = "to neither" if leans is None else f"to {leans.cause} -> {leans.effect}"
    return f"{claim.say()} But this comes back in {often}, so the direction is not decided; they lean {lean}."


def _connected(evidence: Evidence, words: Words) -> str:
    x, t, test = evidence.variable, evidence.target, evidence.association
    numbers = "" if test is None else f" ({_numbers(test, words.statistic)})"
    told = f"{x} and {t} are directly connected{numbers}"
    if test is not None and test.result.reliable and test.result.independent:
        told = (
            f"{x} and {t} are directly connected, which shows only with others held fixed; by themselves they may be "
        )
        told += f"independent{numbers}"
    tendency, tried = _tendency(evidence, words), _tried(evidence, words.untestable)
    if not tendency:
        return f"{told}: {tried}." if tried else f"{told}."
    return f"{told}: {tendency}." + (f" {tried[0].upper()}{tried[1:]}." if tried else "")


def _tried(evidence: Evidence, untestable: str) -> str:
    """Say how many sets of other variables were tried, and how many could not be; or by which the two are separated."""
    tried, untested = evidence.sets_tried, evidence.sets_untested
    if evidence.separated_by is not None:
        return (
            "" if any(d.second.rule == SEPARATED for d in evidence.disagreements) else _overruled(evidence.separated_by)
        )
    if tried == 0:
        return ""
    if tried == 1:
        fails = f"could not be tested ({untestable})" if untested else "does not make them independent"
        return f"the one set that was tried {fails}"
    sets = f"the {tried:,} sets of other variables that were tried"
    if untested == 0:
        return f"none of {sets} makes them independent"
    if untested == tried:
        return f"none of {sets} could be tested ({untestable})"
    others = tried - untested
    rest = "the other one does not make" if others == 1 else f"none of the other {others:,} makes"
    return f"of {sets}, {untested:,} could not be tested ({untestable}); {rest} them independent"


def _overruled(test: CitedTest) -> str:
    """Say that tests alone would not connect two variables."""
    all_the_same = "the arrangement that fits best has the edge all the same"
    if not test.result.reliable:
        return f"the tests did not propose this ({test.said}); {all_the_same}"
    if not test.given:
        return f"tests alone would not connect them; {all_the_same}"
    return f"tests alone would separate them given {listed(test.given)} ({test.said}); {all_the_same}"


def _tendency(evidence: Evidence, words: Words) -> str:
    """Say which way the association goes, if the two are numbers or have two levels."""
    test = evidence.association
    if test is None or test.correlation is None or test.result.independent or not test.result.reliable:
        return ""
    pair = evidence.variable, evidence.target
    first, second = pair[::-1] if evidence.role == "child" else pair
    one, other = words.second_level(first), words.second_level(second)
    rises = test.correlation > 0
    if one is not None and other is not None:
        return f"where {first} is {one}, {second} is {'more' if rises else 'less'} often {other}"
    if one is not None:
        first, second, other = second, first, one
    if other is None:
        if _is_curved(test):
            return f"{second} does not simply rise or fall with {first}"
        return f"the higher {first}, the {'higher' if rises else 'lower'} {second}"
    if _is_curved(test):
        return f"how often {second} is {other} does not simply rise or fall with {first}"
    return f"the higher {first}, the {'more' if rises else 'less'} often {second} is {other}"


def _is_curved(test: CitedTest) -> bool:
    """Tell whether the correlation is less than half of the association, as in a U-shape."""
    return test.strength is not None and test.correlation is not None and 2 * test.correlation**2 < test.strength**2


def _apart(evidence: Evidence) -> str:
    x, t, test = evidence.variable, evidence.target, evidence.separated_by
    if evidence.kept_apart_by:
        return f"{x} is not directly connected with {t}: you said that {listed(evidence.kept_apart_by)}."
    if test is None:
        return f"{x} was not found to be connected with {t}."
    if not test.result.reliable:
        return f"{x} was not considered for {t}: there are too few rows to test the two."
    held = _held(test.given)
    if test.dependent:
        return (
            f"{x} is not directly connected with {t} in the arrangement of all variables that fits best, though a test "
            f"finds the two dependent{held} ({test.said})."
        )
    return f"{x} is not directly connected with {t}: they are independent{held} ({test.said})."


def _held(given: Sequence[str]) -> str:
    return f" once {listed(given)} {'is' if len(given) == 1 else 'are'} held fixed" if given else ""


def _through(evidence: Evidence) -> str:
    effect, test = evidence.shared_effects[0], evidence.opened_by
    if test is not None and test.dependent:
        others = [v for v in test.given if v != effect]
        beside = f" beside {listed(others)}" if others else ""
        return (
            f"{_apart(evidence)} But the two are dependent once their common effect {effect} is held fixed{beside} "
            f"({test.said})"
        )
    if test is not None:
        return (
            f"{_apart(evidence)} But in the arrangement that fits best the two have a common effect, {effect}, though "
            f"a test of these alone does not show it ({test.said})"
        )
    if evidence.separated_by is not None or evidence.kept_apart_by:
        return f"{_apart(evidence)} But the two have a common effect, {effect}"
    return (
        f"{evidence.variable} is not directly connected with {evidence.target}, but in the best network found "
        f"the two have a common effect, {effect}"
    )


def _disagreement(found: Disagreement) -> str:
    first, second = found.first, found.second
    if first.rule == KNOWLEDGE:
        return found.say()
    told = f"Two rules disagree here: {first.rule} says {first.cause} -> {first.effect}, {second.rule} the opposite; "
    return told + ("the first was followed." if found.followed else "the edge was left without direction.")


def _numbers(test: CitedTest, statistic: str) -> str:
    r = "" if test.correlation is None else f"{say_r(test.correlation)}, "
    if test.result.dof == 0 or (r and not _is_curved(test)):  # no degrees of freedom: from a graph, not from data
        return f"{r}{test.said}"
    return f"{r}{statistic} = {test.result.statistic:.1f}, {test.said}"


def say_r(correlation: float) -> str:
    """Write a correlation for readers.

    Examples
    --------
    >>> say_r(0.6171), say_r(-0.00123)
    ('r = 0.62', 'r = -0.0012')
    """
    return f"r = {correlation:.2g}"
