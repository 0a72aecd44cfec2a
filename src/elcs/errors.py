"""The errors a user of the package can meet; each says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["BudgetError", "DataError", "DataWarning", "ElcsError", "KnowledgeError", "unknown_name"]


class ElcsError(ValueError):
    """Base of all errors raised on purpose by this package."""


class DataError(ElcsError):
    """The table, or what was said about it, cannot be used."""


class KnowledgeError(ElcsError):
    """What was stated about the causal graph contradicts itself."""


class BudgetError(ElcsError):
    """A limit on tests or time was reached before the answer was complete."""


class DataWarning(UserWarning):
    """The table can be used, but something in it was changed or deserves a look."""


def unknown_name(name: object, known: Iterable[str], *, what: str = "column", of: str = "") -> DataError:
    """Make the error for a name that is not in the table, with the nearest names that are.

    Examples
    --------
    >>> print(unknown_name("foo", ["no", "yes"], what="level", of="churn"))
    there is no level 'foo' of churn; its levels are 'no', 'yes'
    """
    names = list(known)
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.6)
    if not near:  # a difference in case alone deserves a hint as well
        near = [known for known in names if known.lower() == str(name).lower()]
    listed = ", ".join(map(repr, near or names[:8])) + ("" if near or len(names) <= 8 else ", ...")
    if near:
        hint = f"did you mean {listed}?"
    elif len(names) == 1:
        hint = f"{'its' if of else 'the'} only {what} is {listed}"
    else:
        hint = f"{'its' if of else 'the'} {what}s are {listed}"
    return DataError(f"there is no {what} {name!r}{f' of {of}' if of else ''}; {hint}")
