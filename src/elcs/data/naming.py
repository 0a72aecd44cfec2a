"""The names of columns: those that are found, those that are asked for, and how they are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from elcs.errors import unknown_name

__all__ = [
    "check_known",
    "check_target",
    "choose_columns",
    "counted",
    "distinct",
    "names_twice",
    "no_names",
    "one_line",
    "quoted",
    "that",
]


def quoted(names: Collection[str]) -> str:
    """List names as a person would read them."""
    return ", ".join(map(repr, names))


def that(names: Collection[str], one: str, several: str) -> str:
    """Name columns, with what one of them does, or several do.

    Examples
    --------
    >>> that(["age"], "holds", "hold"), that(["age", "sex"], "holds", "hold")
    ("column 'age' holds", "columns 'age', 'sex' hold")
    """
    return f"column {quoted(names)} {one}" if len(names) == 1 else f"columns {quoted(names)} {several}"


def counted(number: int, what: str) -> str:
    """Say how many things there are, one or several.

    Examples
    --------
    >>> counted(1, "column"), counted(1_200, "column")
    ('1 column', '1,200 columns')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def one_line(text: str) -> str:
    r"""Put a text with line breaks on one line.

    Examples
    --------
    >>> one_line("height\n(cm)")
    'height (cm)'
    """
    return " ".join(text.splitlines()) if len(text.splitlines()) > 1 else text


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with the position of a column in place of no name, and after a name that came before."""
    told: list[str] = []
    for position, name in enumerate(names, start=1):
        place = f"(column {position})"
        told.append(place if not name.strip() else f"{name} {place}" if name in told else name)
    return told


def names_twice(names: Sequence[str], title: str) -> list[str]:
    """Complain of names that occur twice."""
    twice = [name for name, count in Counter(names).items() if count > 1 and name.strip()]
    if not twice:
        return []
    return [
        f"{title} has more than one column named {quoted(twice)}; names must differ, and a file must have them in its "
        "first line"
    ]


def no_names(positions: Sequence[int], title: str) -> list[str]:
    """Complain of columns without a name."""
    if not positions:
        return []
    return [
        f"{title} has columns without a name, at position {', '.join(map(str, positions))}; name each column "
        "(pandas writes such a column for its index: use to_csv(index=False))"
    ]


def choose_columns(
    names: Sequence[str],
    columns: Collection[str] | None,
    drop: Collection[str] | None,
    weights: str | None,
    problems: list[str],
) -> list[str]:
    """Return the names of the variables, in the order of the table."""
    drop = [part for name in drop or () for part in _at_commas(name, names)]
    check_known([*(columns or ()), *drop, *([] if weights is None else [weights])], names, problems)
    kept = set(names if columns is None else columns) - {*drop, weights}
    return [name for name in names if name in kept]


def _at_commas(name: str, known: Collection[str]) -> list[str]:
    """Return the columns that a text names, separated by commas, unless it is the name of one."""
    parts = [part.strip() for part in name.split(",") if part.strip()]
    return parts if name not in known and any(part in known for part in parts) else [name]


def check_known(given: Collection[str], names: Collection[str], problems: list[str]) -> None:
    """Complain of names that no column has."""
    known = set(names)
    problems += [str(unknown_name(name, names, what="column")) for name in dict.fromkeys(given) if name not in known]


def check_target(target: str | None, chosen: Collection[str], names: Collection[str], problems: list[str]) -> None:
    """Complain of a target that is no column, or that was left out."""
    if target is not None and target in names and target not in chosen:
        problems.append(f"target {target!r} is not among the variables: drop=, columns= or weights= leaves it out")
    elif target is not None:
        check_known([target], chosen, problems)
