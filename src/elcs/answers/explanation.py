"""Evidence in words that need no statistics beyond a p-value."""

from __future__ import annotations

from elcs.answers.evidence import CitedTest, Direction, Evidence
from elcs.graph.rules import listed

__all__ = ["explain"]


def explain(evidence: Evidence, *, complete: bool, settles: bool, statistic: str) -> str:
    """Say in a few sentences what a variable is to the target, and why.

    `complete` says whether the run reached its end, `settles` whether the method settles every direction that data can
    settle, and `statistic` what the statistic of the tests is called.
    """
    x, t = evidence.variable, evidence.target
    if evidence.role in ("parent", "child", "undirected"):
        sentences = [_connected(evidence, statistic)]
        if evidence.direction is not None:
            sentences.append(evidence.direction.say())
        elif not complete:
            sentences.append("The run was stopped before the direction was settled.")
        elif not settles:
            sentences.append(f"Whether {x} is a cause or an effect, this method does not say.")
        elif not evidence.disagreements:
            sentences.append(f"The data fit {x} -> {t} and {t} -> {x} equally well, so the direction stays open.")
        sentences += [_disagreement(d.first, d.second, d.followed) for d in evidence.disagreements]
        return " ".join(sentences)
    if evidence.role == "spouse":
        return f"{_through(evidence)}, so {x} helps to predict {t}: it belongs to its Markov blanket."
    if evidence.role == "member":
        return (
            f"{x} belongs to the Markov blanket of {t}; the method does not say whether as cause, effect or otherwise."
        )
    if evidence.separated_by is None and not complete:
        return f"The run was stopped before it was settled whether {x} is connected with {t}."
    return _apart(evidence)


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
    held = f" once {listed(test.given)} {'is' if len(test.given) == 1 else 'are'} held fixed" if test.given else ""
    return f"{x} is not directly connected with {t}: they are independent{held} ({test.said})."


def _through(evidence: Evidence) -> str:
    effect, test = evidence.shared_effects[0], evidence.opened_by
    if test is not None:
        return (
            f"{_apart(evidence)} But the two are dependent once their common effect {effect} is held fixed "
            f"({test.said})"
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
        return test.said
    return f"{statistic} = {test.result.statistic:.1f}, {test.said}"
