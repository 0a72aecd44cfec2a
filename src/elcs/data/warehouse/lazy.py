"""A lazy table of which no more than a sample was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from elcs.data import leaving, prepare
from elcs.data.levels import Factor, from_strings
from elcs.data.reading import Reading
from elcs.data.warehouse.expecting import Expectation
from elcs.data.warehouse.frames import Frame
from elcs.errors import DataError

__all__ = ["Lazy"]


class Lazy:
    """A lazy table that is being opened.

    Parameters
    ----------
    frame : Frame
        What is asked.
    reading : Reading
        How it is to be read.
    texts : bool
        Whether all values are text as a file has it, so that numbers must be recognised.
    broken : mapping of str to Factor
        The columns that cannot be used, and are not among those of the frame.
    problems : list of str
        What is wrong with the table; more is added as it is found.

    Attributes
    ----------
    memory : int
        How many bytes may be fetched.
    sampled : list of Factor
        The columns of the sample, as they were fetched.
    """

    sampled: list[Factor]

    def __init__(
        self, frame: Frame, reading: Reading, *, texts: bool, broken: Mapping[str, Factor], problems: list[str]
    ) -> None:
        self.frame = frame
        self.reading = reading
        self.texts = texts
        self.broken = dict(broken)
        self.problems = problems
        self.memory = reading.bytes

    def as_read(self, factor: Factor) -> Factor:
        """Recognise the numbers among texts, as if they came from a file."""
        if not self.texts:
            return factor
        return from_strings(factor.codes, [*factor.levels, *([""] if factor.has_missing else [])])

    @cached_property
    def expect(self) -> Expectation:
        """What a sample tells about the rest; columns whose values cannot be levels are set apart."""
        self.sampled = self.frame.sample()
        by_name = dict(zip(self.frame.names, self.sampled, strict=True))
        broken = prepare.check_types(by_name, self.problems)
        if broken:
            self.broken |= broken
            self.frame = self.frame.only([i for i, name in enumerate(self.frame.names) if name not in broken])
            self.sampled = [by_name[name] for name in self.frame.names]
        return Expectation([self.as_read(factor) for factor in self.sampled], self.frame.n_rows)

    @cached_property
    def left_out(self) -> dict[str, str]:
        """The columns that are not worth counting, each with the reason."""
        found, factors = {}, self.expect.factors
        for i, (name, factor) in enumerate(zip(self.frame.names, factors, strict=True)):
            if name in self.reading.named_columns or len(factor.levels) <= 20:
                continue
            n_sampled, expected = len(factor.codes), self.expect.rows([i])
            wordy = factor.kind in ("text", "category")
            if (wordy or factor.kind == "integer") and len(factor.levels) == factor.n_present > leaving.FEWEST_ROWS:
                found[name] = f"an identifier: all values differ in a sample of {n_sampled:,} rows"
            elif wordy and expected > prepare.MAX_LEVELS:
                found[name] = f"about {expected:,.0f} levels, too many to tell them apart"
        return found

    @property
    def kept(self) -> list[int]:
        """The positions of the columns that are not left out."""
        left_out = self.left_out
        return [i for i, name in enumerate(self.frame.names) if name not in left_out]

    def check_target(self, target: str | None) -> None:
        """Refuse a target that is left out."""
        if target in self.left_out:
            raise DataError(leaving.say_of_target(str(target), self.left_out[str(target)]))
