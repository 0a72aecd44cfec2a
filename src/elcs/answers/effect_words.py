"""An effect in words: a table, a sentence, and what the numbers rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from elcs.answers.estimates import LITTLE_OVERLAP
from elcs.data.naming import counted
from elcs.data.times import UNIT_NAMES, UNITS, as_text
from elcs.estimation import MEAN
from elcs.graph.rules import listed

if TYPE_CHECKING:
    from elcs.answers.effect import Effect
    from elcs.answers.estimates import Estimate

__all__ = ["HIDDEN", "Say", "number", "table_of"]

HIDDEN = "this holds only if no column that is missing from the table influences both"

MOST_WAYS = 6
"""So many possible effects are explained one by one in the text and on the page."""


def number(value: float, *, share: bool) -> str:
    """Write a share or a mean.

    Examples
    --------
    >>> number(0.4216, share=True), number(0.0042, share=True), number(1234.567, share=False)
    ('42%', '0.4%', '1,235')
    """
    if not share:
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    near = min(value, 1 - value)
    return f"{value:.1%}" if 0.0005 <= near < 0.0095 else f"{value:.0%}"


class Say:
    """The sentences about an effect."""

    def __init__(self, found: Effect) -> None:
        self.found = found
        self.share = MEAN not in found.today

    @property
    def ruled_out(self) -> bool:
        """Whether the arrows leave no effect possible."""
        return all(one.kind == "none" for one in self.found.possible)

    def number(self, value: float) -> str:
        """Write a share or a mean; of dates and times as these are written."""
        if self.found.kind:
            return _time(value, self.found.kind, self._ends)
        return number(value, share=self.share)

    @cached_property
    def _ends(self) -> list[float]:
        """The ends of all intervals."""
        return [end for of_x in self.found.intervals.values() for interval in of_x.values() for end in interval]

    def point(self, x: object) -> str:
        """Write a level of the cause, or a value of a numeric one; dates and times as these are written."""
        if not isinstance(x, float):
            return str(x)
        if self.found.cause_kind:
            return _time(x, self.found.cause_kind, [p for p in self.found.points if isinstance(p, float)])
        return number(x, share=False)

    def change(self, y: object, slope: tuple[float, float, float]) -> str:
        """Say how much an outcome changes if a numeric cause grows."""
        found = self.found
        by = f"one {UNIT_NAMES[found.cause_kind]}" if found.cause_kind else "1"
        what = f"the share of {found.effect} = {y}" if self.share else f"the mean of {found.effect}"
        unit = f" {UNIT_NAMES[found.kind]}s" if found.kind else ""
        change, low, high = (f"{value:+.3g}" for value in slope)
        return f"if {found.cause} grows by {by}, {what} changes by {change}{unit} ({low} to {high})"

    def outcome(self, x: object, y: object) -> str:
        """Write an outcome with its interval, or the range of what is possible with all of their intervals."""
        low, high = self.found.range[x][y]
        ends = " to ".join(map(self.number, self.found.intervals[x][y]))
        values = dict.fromkeys((self.number(low), self.number(high)))
        return f"{' to '.join(values)} ({ends})"

    def sentence(self, x: object, y: object) -> str:
        """Say what would be if the cause were set."""
        found = self.found
        low, high = found.range[x][y]
        before = found.today[y]
        what = f"the share of {found.effect} = {y}" if self.share else f"the mean of {found.effect}"
        where = f"If {found.cause} were {self.point(x)}, {what} would"
        if self.ruled_out:
            return f"{where} stay at {self.number(before)}: {found.cause} has no effect on {found.effect}."
        if found.no_effect:
            ends = " to ".join(map(self.number, found.intervals[x][y]))
            told = f"the table shows no effect of {found.cause} on {found.effect}"
            return f"{where} stay at about {self.number(before)} ({ends}): {told}."
        held = {one.adjusted_for for one in found.estimates}
        adjusted = f"; adjusted for {listed(next(iter(held)))}" if found.identified and any(held) else ""
        ends = " to ".join(map(self.number, found.intervals[x][y]))
        if self.number(low) != self.number(high):
            told = f"be {self.number(low)} to {self.number(high)} ({ends}) instead of {self.number(before)}"
            return f"{where} {told}, depending on what causes {found.cause}."
        if self.number(low) == self.number(before):
            return f"{where} stay at about {self.number(before)} ({ends}){adjusted}."
        moved = "rise" if low > before else "fall"
        return f"{where} {moved} from {self.number(before)} to {self.number(low)} ({ends}){adjusted}."

    def notes(self, most: int | None = None) -> Iterator[str]:
        """Say what the numbers rest on, and what may be wrong with them; of many possible effects, the first `most`."""
        found = self.found
        for one in found.possible[:most]:
            yield self._basis(one)
        if most is not None and len(found.possible) > most:
            yield f"and {counted(len(found.possible) - most, 'more way')}, which the JSON lists"
        if not found.identified:
            yield f"what you know about the causes of {found.cause} narrows this (knowledge=, --before, --exogenous)"
        if found.relearnt is not None:
            r = found.relearnt
            yield (
                f"with the graph learnt anew from {r.n_samples:,} half-samples, one effect is possible in "
                f"{r.identified:.0%} of them" + (f", and none at all in {r.no_effect:.0%}" if r.no_effect else "")
            )
        if self.ruled_out:
            return
        if found.identified and found.estimates and not found.no_effect and not found.shown:
            yield "the table shows no effect beyond chance"
        yield HIDDEN

    def _basis(self, one: Estimate) -> str:
        """Say what is held fixed, and why that suffices."""
        found = self.found
        if one.kind == "unknown":
            return f"no estimate, because {one.problem}"
        supposed = "" if found.identified else f"if {self._causes(one)}: "
        if one.kind == "none":
            cannot = f"{found.cause} cannot be a cause of {found.effect}, directly or indirectly"
            return f"{supposed}{cannot}, so it has no effect on it"
        if one.kind == "independent":
            given = self._given(one.parents)
            told = f"{supposed}{found.cause} is independent of {found.effect}{given}, so no effect on it is shown"
            return f"{told}; no estimate, because {one.problem}" if one.problem else told
        held = listed(one.adjusted_for) if one.adjusted_for else "nothing"
        adjusted = f"{supposed}adjusted for {held} ({self._why(one)})"
        if one.problem:
            return f"{adjusted}: no estimate, because {one.problem}"
        told = f"{adjusted}; {one.n_rows:,} rows"
        if one.left_out:
            told += f"; too few rows with {found.cause} = {', '.join(map(str, one.left_out))}"
        if one.overlap is not None and one.overlap < LITTLE_OVERLAP:
            told += f"; {self._reached(one.overlap, of_numbers=bool(one.slope))}"
        return told

    def _reached(self, overlap: float, *, of_numbers: bool) -> str:
        """Say for how few rows the table shows what the cause would do, and that there may be none."""
        cause = self.found.cause
        some = number(overlap, share=True) if overlap >= 0.0005 else "less than 0.1%"
        if of_numbers:
            like = f"are like those in which such a value of {cause} occurs"
            return f"on average only {some} of the rows {like}, the rest is extrapolated"
        if not overlap:
            return f"no row lies where all levels of {cause} occur, so some of this is extrapolated for every row"
        return f"only {some} of the rows lie where all levels of {cause} occur, the rest is extrapolated"

    def _why(self, one: Estimate) -> str:
        """Say why it suffices to hold a set fixed."""
        cause, effect = self.found.cause, self.found.effect
        if one.kind == "optimal":
            return f"what else leads to {effect}; with that held fixed, what causes {cause} does not matter"
        if one.parents == ((),):
            return f"nothing causes {cause}"
        if not one.adjusted_for:
            return f"nothing causes {cause} that matters to {effect}"
        single = len(one.adjusted_for) == 1
        causes = f"the direct cause{'' if single else 's'} of {cause}"
        matter = any(set(some) - set(one.adjusted_for) for some in one.parents)
        return f"{causes} that matter{'s' if single else ''} to {effect}" if matter else causes

    @staticmethod
    def _given(parents: Sequence[Sequence[str]]) -> str:
        """Name the direct causes of the cause, if it is known which they are."""
        if len(parents) > 1:
            return " given its direct causes, whichever they are"
        causes = "direct cause" if len(parents[0]) == 1 else "direct causes"
        return f" given {listed(parents[0])}, its {causes}" if parents[0] else ""

    def _causes(self, one: Estimate) -> str:
        cause = self.found.cause
        ways = [f"{listed(some)} cause{'s' if len(some) == 1 else ''} {cause}" for some in one.parents if some]
        if () in one.parents:
            ways.insert(0, f"nothing causes {cause}")
        if len(ways) > 4:
            ways[3:] = [f"one of {len(ways) - 3} other ways holds"]
        return " or ".join(ways)


def _time(value: float, kind: str, among: Sequence[float]) -> str:
    """Write a date or a time, among others: to the day where these are days apart, else to the second."""
    day, second = UNITS["date"], UNITS["time"]
    apart = (max(among, default=0.0) - min(among, default=0.0)) * UNITS[kind]
    step = day if apart > 10 * day else second
    return as_text(round(value * UNITS[kind] / step) * step, kind)


def table_of(found: Effect) -> str:
    """Lay an effect out as text."""
    say = Say(found)
    lines = [f"what setting {found.cause} would do to {found.effect} ({found.method})"]
    if found.estimates:
        heads = ["", *(f"{found.effect} = {y}" if say.share else f"mean of {found.effect}" for y in found.today)]
        rows = [heads, ["today", *map(say.number, found.today.values())]]
        if not say.ruled_out:
            rows += [
                [f"{found.cause} = {say.point(x)}", *(say.outcome(x, y) for y in found.today)] for x in found.points
            ]
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines += ["  " + "  ".join(map(str.ljust, row, wide)).rstrip() for row in rows]
    lines += [] if found.no_effect else [f"  {say.change(*slope)}" for slope in _slopes(found)]
    if found.relearnt is not None and not found.no_effect:
        lines.append("  with the graph learnt anew:")
        for x, row in found.relearnt.intervals.items():
            ends = ", ".join(f"{y} {say.number(low)} to {say.number(high)}" for y, (low, high) in row.items())
            lines.append(f"    {found.cause} = {say.point(x)}: {ends}")
    lines += [f"  {note}" for note in say.notes(MOST_WAYS)]
    if not found.complete:
        lines.append("  stopped before the end")
    return "\n".join(lines)


def _slopes(found: Effect) -> Iterator[tuple[object, tuple[float, float, float]]]:
    """Yield the slopes of an identified effect of a numeric cause."""
    if found.identified:
        for one in found.estimates:
            yield from one.slope.items()
