"""The record of a benchmark: one file, one line per finished cell, never rewritten.

A process may be killed at any moment. A line is written by a single call, so at worst the last one is incomplete; it is
cut off when the journal is opened again, and its cell runs again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from elcs.errors import ElcsError

__all__ = ["Cell", "Journal"]

Record = dict[str, Any]
_HEAD = b'{"settings":{'


class Cell(NamedTuple):
    """One method, with its options if it is given any, on one data set."""

    method: str
    network: str
    samples: int
    repetition: int


def _entry(line: Record) -> tuple[Cell, Record]:
    """Return what a line says, or raise an error if it is not one that `Journal.append` wrote."""
    method, network, samples, repetition = line.pop("cell")
    known = isinstance(method, str) and isinstance(network, str) and {*map(type, (samples, repetition))} == {int}
    rows = line["targets"]
    if not known or line["status"] not in ("done", "limit") or type(line["variables"]) is not int:
        raise ValueError("no cell")
    figures = [value for row in rows for name, value in row.items() if name != "target"]
    n_kinds = len({*map(frozenset, rows)})  # of rows: one, or none where a method was given up
    if not all(isinstance(figure, int | float) for figure in figures) or n_kinds != (line["status"] == "done"):
        raise ValueError("no figures")
    return Cell(method, network, samples, repetition), line


class Journal:
    """An append-only file of finished cells.

    Parameters
    ----------
    path : Path
        The file; it is made if it does not exist.
    settings : mapping
        What all cells have in common. A journal that was begun with other settings is refused.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.records: dict[Cell, Record] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            self._lock()
            self._load(dict(settings))
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._file)

    def append(self, cell: Cell, record: Record) -> None:
        """Write down a finished cell."""
        self._write({"cell": list(cell), **record})
        self.records[cell] = record

    def _write(self, line: Record) -> None:
        data = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "backslashreplace")
        try:
            while data:  # a call may write less than it was given, when the disk is full
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> ElcsError:
        told = "it is not in a folder" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
        return ElcsError(f"the journal {self.path} cannot be written: {told}; what is in it is safe")

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # there are no such locks on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ElcsError(f"{self.path} is in use by another run; wait for it, or write to another file") from None

    def _load(self, settings: dict[str, Any]) -> None:
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if not whole and not _HEAD.startswith(data[: len(_HEAD)]):  # a first line of ours, cut short, may go
            raise ElcsError(f"{self.path} is not the journal of a benchmark; name another file")
        try:
            first, *rest = map(json.loads, whole.splitlines()) if whole else ({"settings": settings},)
            before = dict(first["settings"])
            self.records = dict(map(_entry, rest))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ElcsError(f"{self.path} is not the journal of a benchmark; name another file") from None
        differing = [name for name in {**settings, **before} if settings.get(name) != before.get(name)]
        if differing:
            told = ", ".join(f"{name} {before.get(name)!r} there, {settings.get(name)!r} here" for name in differing)
            raise ElcsError(f"{self.path} was begun with other settings ({told}); use the same, or name another file")
        if len(whole) < len(data):  # not before it is known to be ours
            os.ftruncate(self._file, len(whole))
        if not whole:
            self._write({"settings": settings})
