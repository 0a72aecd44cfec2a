"""Evidence in words that need no statistics beyond a p-value."""

from __future__ import annotations

from collections.abc import Sequence

from elcs.evidence import CitedTest, Direction, Evidence

__all__ = ["explain", "say_p", "short_p"]


def explain(evidence: Evidence, *, complete: bool, settles: bool, statistic: str) -> str:
    """Say in a few sentences what a variable is to the target, and why.

    `complete` tells whether the run came to its end, `settles` whether the method settles directions as far as data
    can, `statistic` what the tests computed.
    """
    x, t = evidence.variable, evidence.target
    if evidence.role in ("parent", "child", "undirected"):
        sentences = [_connected(evidence, statistic)]
        if evidence.direction is not None:
            sentences.append(say_direction(evidence.direction))
        elif not complete:
            sentences.append("The run was stopped before the direction was settled.")
        elif not settles:
            sentences.append(f"Whether {x} is a cause or an effect, this method does not say.")
        elif not evidence.disagreements:
            sentences.append(f"The data fit {x} -> {t} and {t} -> {x} equally well, so the direction stays open.")
        sentences += [_disagreement(d.first, d.second, d.followed) for d in evidence.disagreements]
        return " ".join(sentences)
    if evidence.role == "spouse":
        return f"{_through(evidence)}, so {x} belongs to the Markov blanket of {t}."
    if evidence.role == "member":
        return (
            f"{x} belongs to the Markov blanket of {t}; the method does not say whether as cause, effect or otherwise."
        )
    return _apart(evidence)


def say_p(test: CitedTest) -> str:
    """Write a p-value for readers."""
    if not test.result.reliable:
        return "too few rows to test"
    short = short_p(test.result.p_value)
    return f"p {short}" if short.startswith("<") else f"p = {short}"


def short_p(p: float) -> str:
    """Write a p-value for a table; where it is too small to matter how small, say so."""
    return "< 1e-15" if p < 1e-15 else f"{p:.2g}"


def say_direction(why: Direction) -> str:
    """Say why an edge points the way it does."""
    c, e = why.cause, why.effect
    other = why.variables[0] if why.variables else ""
    if why.rule == "Meek 1":
        return (
            f"{other} -> {c} is known and {other} is not connected with {e}. If {e} were a cause of {c} as well, "
            f"{other} and {e} would show as two causes of {c}, and they do not; so {c} -> {e}."
        )
    if why.rule == "Meek 2":
        return f"{c} -> {other} and {other} -> {e} are known, so {e} -> {c} would close a circle; hence {c} -> {e}."
    if why.rule == "Meek 3":
        causes = _listed(why.variables)
        return f"Unless {c} -> {e}, there would be a circle, or {causes} would show as two causes of {c}."
    if why.rule == "score":
        return (
            f"In the network that scores best, {c} and {other} are two causes of {e} that are not connected with each "
            f"other, and no network that scores as well turns the edge round; so {c} -> {e}."
        )
    if why.rule == "climb":
        if not other:
            return (
                f"In the network that scores best among those tried, {c} is a cause of {e}; but one with the edge "
                "turned round scores as well."
            )
        return (
            f"In the network that scores best among those tried, {c} and {other} are two causes of {e} that are not "
            f"connected with each other, and no network that implies the same turns the edge round; so {c} -> {e}."
        )
    if why.rule == "fit":
        return (
            f"In the graph that fits the numbers best, {c} -> {e}; other graphs, the edge turned round among them, may "
            "fit almost as well."
        )
    if not why.tests:
        return f"{c} -> {e} follows from a shared effect with {other}."
    apart = why.tests[0]
    if len(why.tests) == 1:
        return (
            f"{apart.x} and {apart.y} are independent{_given(apart.given)} ({say_p(apart)}), though both are connected "
            f"with {e}, which is not held fixed. Only a common effect allows that, so {c} -> {e}."
        )
    together = why.tests[1]
    if why.rule == "Lemma 1b":
        return (
            f"{other} is a cause of {c}, and {other} and {e} are connected ({say_p(apart)}) but no longer once {c} is "
            f"held fixed ({say_p(together)}): the influence passes through {c}, so {c} -> {e}."
        )
    opened = next((v for v in together.given if v not in apart.given), e)
    also = " as well" if apart.given else ""
    return (
        f"{apart.x} and {apart.y} are independent{_given(apart.given)} ({say_p(apart)}), but not once {opened} is held "
        f"fixed{also} ({say_p(together)}). Only a common effect does that, so {c} -> {e}."
    )


def _connected(evidence: Evidence, statistic: str) -> str:
    x, t, test = evidence.variable, evidence.target, evidence.association
    strength = "" if test is None else f" ({_strength(test, statistic)})"
    tried = evidence.sets_tried
    if tried == 0:
        return f"{x} and {t} are directly connected{strength}."
    return (
        f"{x} and {t} are directly connected{strength}: none of the {tried} sets of other variables that were "
        "tried makes them independent."
        if tried > 1
        else f"{x} and {t} are directly connected{strength}: the one set that was tried does not make them independent."
    )


def _apart(evidence: Evidence) -> str:
    x, t, test = evidence.variable, evidence.target, evidence.separated_by
    if test is None:
        return f"{x} was not found to be connected with {t}."
    if not test.result.reliable:
        return f"{x} was not considered for {t}: there are too few rows to test the two."
    held = f" once {_listed(test.given)} {'is' if len(test.given) == 1 else 'are'} held fixed" if test.given else ""
    return f"{x} is not directly connected with {t}: they are independent{held} ({say_p(test)})."


def _through(evidence: Evidence) -> str:
    effect, test = evidence.shared_effects[0], evidence.opened_by
    if test is not None:
        return (
            f"{_apart(evidence)} But the two are dependent once their common effect {effect} is held fixed "
            f"({say_p(test)})"
        )
    return (
        f"{evidence.variable} is not directly connected with {evidence.target}, but in the best network found "
        f"the two have a common effect, {effect}"
    )


def _disagreement(first: Direction, second: Direction, followed: bool) -> str:
    told = f"Two rules disagree here: {first.rule} says {first.cause} -> {first.effect}, {second.rule} the opposite; "
    return told + ("the first was followed." if followed else "the edge was left without direction.")


def _strength(test: CitedTest, statistic: str) -> str:
    if test.result.dof == 0:  # from a graph, not from data
        return say_p(test)
    return f"{statistic} = {test.result.statistic:.1f}, {say_p(test)}"


def _given(names: Sequence[str]) -> str:
    return f" given {_listed(names)}" if names else ""


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
