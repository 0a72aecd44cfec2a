"""What an answer rests on besides the method: the rows, the test, what is missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from elcs.data.naming import counted
from elcs.data.profile import Profile
from elcs.independence import TESTS
from elcs.independence.base import TestResult
from elcs.scores import SCORES
from elcs.version import __version__

__all__ = ["Background", "background_as_dict", "rows_of"]

_NAMED = 5
"""So many columns with gaps are named; the others are counted."""

_TREATED = {
    "level": ", taken for a level of their own",
    "drop": "rows in which a value is missing were left out",
}


class Background(NamedTuple):
    """The table behind an answer, and how many of its rows the tests used.

    Attributes
    ----------
    profile : Profile
        What the table looked like.
    test_rows : (int, int) or None
        How many rows the tests behind the answer had: the least number, and the median. None if there are no tests.
    """

    profile: Profile
    test_rows: tuple[int, int] | None = None

    def say(self, *settings: Mapping[str, Any]) -> list[str]:
        """Say in a few lines how many rows there are, what was asked of them, what is missing, and what was merged."""
        asked = dict.fromkeys(what for some in settings for what in _asked(some))
        return [
            "; ".join([f"{self.profile.total:,} rows", *asked]),
            *self.say_gaps(),
            *(line for most in sorted({_most_levels(some) for some in settings}) for line in self.say_merged(most)),
        ]

    def say_merged(self, most_levels: float) -> list[str]:
        """Say in a line which columns have more levels than a test tells apart; nothing if none has."""
        merged = self.merged(most_levels)
        if not merged:
            return []
        listed = ", ".join(f"{name} ({n:,} levels)" for name, n in merged.items())
        return [f"the {most_levels - 1:,} most frequent levels are told apart, the others taken for one: {listed}"]

    def merged(self, most_levels: float) -> dict[str, int]:
        """Return the columns with more levels than a test tells apart, and how many they have."""
        p = self.profile
        return {name: n for name, n in zip(p.names, p.n_levels, strict=True) if n > most_levels}

    def say_gaps(self) -> list[str]:
        """Say in a line what is missing and how it was treated; nothing if nothing is missing."""
        p = self.profile
        gaps = {name: n for name, n in zip(p.names, p.missing, strict=True) if n}
        if not gaps:
            return [_TREATED["drop"]] if p.gaps == "drop" else []
        named = [f"{name} {n:,}" for name, n in sorted(gaps.items(), key=lambda gap: -gap[1])[:_NAMED]]
        if len(gaps) > _NAMED:
            named.append(f"and {counted(len(gaps) - _NAMED, 'more column')}")
        told = f"{sum(gaps.values()):,} of {p.total * len(p.names):,} values missing ({', '.join(named)})"
        if p.gaps == "level":
            return [told + _TREATED["level"]]
        if self.test_rows is None:
            return [told]
        least, middle = self.test_rows
        return [
            f"{told}; each test uses the rows that have its columns: {least:,} at the least, {middle:,} in the middle"
        ]


def background_as_dict(background: Background | None, *settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the version of the package, the names of the tests of runs with these settings, and the background."""
    told: dict[str, Any] = {"version": __version__, "data": None}
    if settings:
        classes = {some["ci_test"] for some in settings if "ci_test" in some}
        told["ci_test"] = next((name for name, test in TESTS.items() if test.__name__ in classes), None)
    if background is not None:
        p, rows = background
        told["data"] = {
            "n_rows": p.total,
            "n_columns": len(p.names),
            "gaps": p.gaps,
            "left_out": dict(p.dropped),
            "remarks": list(p.remarks),
            "missing": {name: n for name, n in zip(p.names, p.missing, strict=True) if n},
            "test_rows": None if rows is None else {"least": rows[0], "median": rows[1]},
            "merged_levels": background.merged(min(map(_most_levels, settings), default=math.inf)),
        }
    return told


def rows_of(tests: Iterable[TestResult]) -> tuple[int, int] | None:
    """Return how many rows tests had, the least number and the median, if they rest on rows.

    Examples
    --------
    >>> rows_of([TestResult(3.1, 1, True, True, n_rows=n) for n in (90, 80, 100)])
    (80, 90)
    """
    rows = sorted(test.n_rows for test in tests if test.n_rows > 0)
    return (rows[0], rows[(len(rows) - 1) // 2]) if rows else None


def _most_levels(settings: Mapping[str, Any]) -> float:
    """Return how many levels of a column the test and the score of a run tell apart."""
    named = {settings.get("ci_test"), settings.get("score")}
    known = [*TESTS.values(), *SCORES.values()]
    return min((asked.most_levels for asked in known if asked.__name__ in named), default=math.inf)


def _asked(settings: Mapping[str, Any]) -> list[str]:
    """Return the test with its level of significance, and the score, as far as there are any."""
    alpha = settings.get("alpha")
    test = settings.get("ci_test")
    asked = [] if test is None else [f"{test} at alpha {alpha:g}" if alpha is not None else str(test)]
    return [*asked, *([settings["score"]] if "score" in settings else [])]
