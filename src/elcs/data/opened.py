"""A table that was opened but not read yet: its names, and a way to load its columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

from elcs.data.levels import Factor
from elcs.data.naming import distinct, names_twice, no_names

__all__ = ["Opened"]


class Opened(ABC):
    """A table that was opened.

    Parameters
    ----------
    names : sequence of str
        The names of its columns, as they were found.
    title : str
        What to call it when something is wrong.
    index : collection of str
        Columns that hold the row index of a data frame.

    Attributes
    ----------
    found : list of str
        The names, as they were found.
    names : list of str
        The names, no two of them alike.
    nameless : dict of str to int
        Which of them stand for no name, and their positions.
    problems : list of str
        What is wrong with the names that were found.
    n_rows : int
        The number of rows, once columns were loaded.
    """

    n_rows: int

    def __init__(self, names: Sequence[str], title: str, index: Collection[str] = ()) -> None:
        self.title = title
        self.index = index
        self.found = list(names)
        self.names = distinct(names)
        self.nameless = {
            told: i for i, (told, name) in enumerate(zip(self.names, names, strict=True), 1) if not name.strip()
        }
        self.problems = names_twice(names, title)

    def no_names(self, chosen: Collection[str]) -> list[str]:
        """Complain of those among the columns that have no name."""
        return no_names([position for name, position in self.nameless.items() if name in chosen], self.title)

    @abstractmethod
    def load(self, names: Collection[str], text: Collection[str]) -> dict[str, Factor]:
        """Load these columns, those in `text` as text."""

    @abstractmethod
    def place(self, row: int) -> str:
        """Say where a loaded row is."""
