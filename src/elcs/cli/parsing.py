"""What options are checked for, before any work, and what is made of their values."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

import elcs
from elcs.data.files import StandsFor
from elcs.writing import check_place, identity

__all__ = [
    "check_file",
    "check_outputs",
    "check_picture",
    "from_standard_input",
    "one_of",
    "silence",
    "understood",
]

_GZIPPED = b"\x1f\x8b"


def one_of(choices: Collection[str]) -> Callable[[str | None], str | None]:
    """Make the check for an option that takes one of several words."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(f"must be {' or '.join(choices)}, not {value!r}")
        return value

    return check


def check_file(file: str | None) -> str | None:
    """Refuse to print what only a file can hold."""
    if file == "-":
        raise typer.BadParameter("needs the name of a file; it cannot be printed")
    return file


def check_outputs(arguments: Mapping[str, Any]) -> None:
    """Refuse, before any work, to write where nothing can be written, twice to one place, or over what is read."""
    read = {name: arguments.get(name) for name in ("data", "knowledge")}
    taken = {identity(file): name for name, file in read.items() if file is not None and str(file) != "-"}
    for name in ("json", "dot", "plot", "html"):
        file = arguments.get(name)
        if file is None:
            continue
        place = file if file == "-" else identity(file)
        if place in taken:
            told = "standard output" if file == "-" else repr(file)
            other = f"{taken[place]} is read from" if taken[place] in read else f"--{taken[place]} is written to"
            raise typer.BadParameter(f"{other} {told} already; give another file", param_hint=f"'--{name}'")
        taken[place] = name
        if file != "-":
            check_place(file)


def check_picture(file: str | None) -> str | None:
    """Refuse, before anything is learnt, a picture that could not be written in the end."""
    if file is not None:
        from elcs.drawing import plot

        check_file(file)
        plot.check_file(file)
    return file


def silence(quiet: bool) -> bool:
    """Do not warn where nothing is to be printed."""
    if quiet:
        warnings.simplefilter("ignore", elcs.DataWarning)
    return quiet


def from_standard_input(data: Path) -> os.PathLike[str]:
    """Let - stand for a table of text, which may be gzipped, that comes in through a pipe."""
    if str(data) != "-":
        return data
    if sys.stdin is None:
        raise elcs.DataError("standard input is closed; name a file, or send a table through a pipe")
    first = sys.stdin.buffer.read(len(_GZIPPED))
    suffix = ".csv.gz" if first == _GZIPPED else ".csv"
    kept = tempfile.NamedTemporaryFile(prefix="standard-input-", suffix=suffix)  # noqa: SIM115  # until the end
    kept.write(first)
    try:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
    except OSError as error:
        raise elcs.DataError(f"standard input cannot be kept in {kept.name}: {error.strerror}") from None
    atexit.register(kept.close)
    return StandsFor(kept.name, "standard input")


def understood(given: dict[str, Any]) -> dict[str, Any]:
    """Return what options mean for a plan and a reading."""
    known = _knowledge(given)
    given |= {} if known is None else {"knowledge": known}
    return {name: _UNDERSTOOD.get(name, lambda x: x)(value) for name, value in given.items()}


def _knowledge(said: dict[str, Any]) -> elcs.Knowledge | None:
    """Put together what a file and the options say beforehand, taking these options out; None if they say nothing."""
    file, before = said.pop("knowledge", None), said.pop("before", None)
    exogenous, outcomes = (_columns(said.pop(name, None)) for name in ("exogenous", "outcome"))
    if not (file or before or exogenous or outcomes):
        return None
    known = elcs.Plan(knowledge=file).known
    if before and known.tiers:
        raise typer.BadParameter(f"{file} has tiers of its own; give the order in one place", param_hint="'--before'")
    tiers = [_columns([tier]) for tier in before.split("<")] if before else known.tiers
    if not all(tiers):
        told = f"must be columns separated by commas, and <, not {before!r}"
        raise typer.BadParameter(told, param_hint="'--before'")
    if before and len(tiers) == 1:
        told = f"must say what comes before what, as in 'age,sex < churn'; {before!r} has no <, and so says nothing"
        raise typer.BadParameter(told, param_hint="'--before'")
    return replace(known, tiers=tiers, exogenous=[*known.exogenous, *exogenous], outcomes=[*known.outcomes, *outcomes])


def _columns(values: Sequence[str] | None) -> list[str]:
    return [name.strip() for value in values or () for name in value.split(",") if name.strip()]


def _bins(text: str) -> int | dict[str, int]:
    """Parse a number of bins, or one for each of several columns."""
    parts = text.split(",")
    pairs = [part.rsplit("=", 1) if "=" in part else ["*", part] for part in parts]
    wrong = [part for part, (_, count) in zip(parts, pairs, strict=True) if not count.strip().isdecimal()]
    if wrong or (len(parts) > 1 and "=" not in text):
        listed = ", ".join(map(repr, wrong)) or repr(text)
        told = f"must be a number, COLUMN=NUMBER, or several of these separated by commas, not {listed}"
        raise typer.BadParameter(told, param_hint="'--bins'")
    return {name.strip(): int(count) for name, count in pairs} if "=" in text else int(text)


def _kinds(text: str) -> dict[str, str]:
    """Interpret a kind for each of several columns."""
    pairs = {part: part.rsplit("=", 1) for part in text.split(",")}
    wrong = [part for part, pair in pairs.items() if len(pair) != 2]
    if wrong:
        told = f"must be COLUMN=KIND separated by commas, not {', '.join(map(repr, wrong))}"
        raise typer.BadParameter(told, param_hint="'--kinds'")
    return {name.strip(): kind.strip() for name, kind in pairs.values()}


_UNDERSTOOD: dict[str, Callable[[Any], Any]] = {
    "bins": _bins,
    "kinds": _kinds,
    "max_cond_size": lambda size: None if size < 0 else size,
}
