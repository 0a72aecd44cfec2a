"""The one way to write a file: beside its place, then moved there.

A file is either the old one or the whole new one, whatever happens in between: a full disk, a kill, Ctrl-C.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from elcs.errors import ElcsError

__all__ = ["check_place", "identity", "write_file", "write_with"]

AnyPath = str | os.PathLike[str]


def write_file(path: AnyPath, content: str | bytes) -> None:
    r"""Write a file; text as UTF-8, in which lone surrogates have no place and are written as ``\udc80``."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    write_with(path, lambda beside: beside.write_bytes(data))


def write_with(path: AnyPath, write: Callable[[Path], object]) -> None:
    """Let a function write a file of another name beside its place, with the same ending, and move it there.

    A link stays a link: what it leads to is replaced. What is no file, such as a pipe, is written to as it is.
    """
    check_place(path)
    place = Path(os.path.realpath(path))
    try:
        before = _mode(place)
        if before is not None and not stat.S_ISREG(before):
            write(place)
            return
        beside = place.with_name(f".elcs-{os.urandom(8).hex()}{place.suffix}")
        beside.touch(exist_ok=False)
        try:
            write(beside)
            if before is not None:
                beside.chmod(stat.S_IMODE(before))
            beside.replace(place)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        _refuse(path, error.strerror or str(error))


def check_place(path: AnyPath) -> None:
    """Refuse, before any work, a place where no file can be written."""
    try:
        place = Path(os.path.realpath(path))
        before = _mode(place)
    except (OSError, ValueError) as error:
        _refuse(path, getattr(error, "strerror", None) or str(error))
    if before is not None and stat.S_ISDIR(before):
        _refuse(path, "it is a folder; name a file in it")
    if not place.parent.is_dir():
        _refuse(path, f"there is no folder {str(place.parent)!r}")
    writable = place if before is not None and not stat.S_ISREG(before) else place.parent
    if not os.access(writable, os.W_OK):
        _refuse(path, f"{str(writable)!r} does not permit writing")


def identity(path: AnyPath) -> object:
    """Return what is equal for two paths exactly if they lead to the same file, which need not exist yet."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return os.path.realpath(os.fspath(path).replace("\0", ""))
    return found.st_dev, found.st_ino


def _mode(path: Path) -> int | None:
    """Return what a path leads to and who may do what with it; None if there is nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _refuse(path: AnyPath, why: str) -> NoReturn:
    raise ElcsError(f"cannot write {os.fspath(path)}: {why}")
