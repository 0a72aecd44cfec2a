"""Reading files: separated text, plain or gzipped, and Parquet.

Text is read a few thousand rows at a time and each cell is replaced at once by the number of its string, so that
a large file takes a few bytes per cell. The kind of a column follows from its distinct strings.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import gzip
import os
import re
import zlib
from array import array
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from elcs.data.levels import Factor, Texts, code_type, from_strings
from elcs.data.naming import counted
from elcs.data.opened import Opened
from elcs.data.prepare import check_memory
from elcs.deadline import check_time
from elcs.errors import DataError

TEXT_FILES = (".csv", ".tsv", ".tab", ".txt", ".csv.gz", ".tsv.gz", ".tab.gz", ".txt.gz")
PARQUET_FILES = (".parquet", ".pq")

_NAMES_DELIMITER = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_BLOCK = 2**18
_LONGEST_LINE = 16 * 2**20
_CELLS_AT_ONCE = 20_000  # more would leave the processor's cache
_TEXT_AT_ONCE = 2**24  # characters; so many are in few rows only if their cells are very long


def located(path: str | os.PathLike[str]) -> Path:
    """Return a path with the folder that ~ or ~name stands for."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise DataError(f"there is no {os.fspath(path)!r}: nobody here has that name") from None


def check_file(path: Path) -> None:
    """Refuse a path that is not a file, or whose name does not show its format."""
    if os.path.isdir(path):
        raise DataError(f"{str(path)!r} is a folder; give the file in it")
    if "\0" in str(path) or not os.path.exists(path):
        raise DataError(f"there is no file {str(path)!r}{_nearest_files(path)}")
    if not os.path.isfile(path):
        told = f"{str(path)!r} is no file but a pipe or a device, which can be read only once; keep it in a file first"
        raise DataError(f"{told}, or send it to standard input (elcs describe - < PIPE)")
    if not path.name.lower().endswith(TEXT_FILES + PARQUET_FILES):
        known = " ".join(TEXT_FILES + PARQUET_FILES)
        raise DataError(f"cannot tell the format of {str(path)!r} from its name; it must end in one of {known}")


def _nearest_files(path: Path) -> str:
    try:
        there = os.listdir(path.parent)
    except OSError:
        return f", and no folder {str(path.parent)!r} either"
    near = difflib.get_close_matches(path.name, there, n=3, cutoff=0.6)
    return f"; did you mean {', '.join(map(repr, near))}?" if near else ""


@dataclass(frozen=True)
class StandsFor:
    """The path of a file that stands for something else, such as standard input, and the name of that."""

    path: str
    title: str

    def __fspath__(self) -> str:
        return self.path


class TextFile(Opened):
    """A file of separated text: its header is read at once, its rows when they are asked for."""

    def __init__(self, path: Path, encoding: str, title: str = "") -> None:
        self.path, self.title = path, title or repr(str(path))
        self._n_read = 0  # characters, so far
        try:
            TextIOWrapper(BytesIO(), encoding=encoding).read()  # which refuses what is an encoding, but not of text
            is_utf8 = codecs.lookup(encoding).name == "utf-8"
        except (LookupError, ValueError):
            raise DataError(f"there is no encoding {encoding!r}; try 'utf-8' or 'latin-1'") from None
        self.encoding = "utf-8-sig" if is_utf8 else encoding  # which also reads files without a byte-order mark
        super().__init__(next(self._chunks())[1], self.title)

    def load(self, names: Collection[str], text: Collection[str]) -> dict[str, Factor]:
        """Read these columns, those in `text` as they are written."""
        wanted = {name: i for i, name in enumerate(self.names) if name in names}
        ids = {name: Texts() for name in wanted}
        parts: dict[str, list[Any]] = {name: [] for name in wanted}
        self._row_lines = array("Q")
        for lines, cells in islice(self._chunks(), 1, None):
            check_time()
            self._row_lines.extend(lines)
            for name, i in wanted.items():
                codes = ids[name].codes(cells[i :: len(self.names)])
                parts[name].append(codes.astype(code_type(len(ids[name]))))
            held = sum([texts.held for texts in ids.values()])
            check_memory(len(self._row_lines), len(wanted), held=held + 8 * len(self._row_lines))
        if not self._row_lines:
            self._refuse("has a header but no rows")
        self.n_rows = len(self._row_lines)
        factors = {}
        for name in wanted:
            check_time()
            codes = np.concatenate(parts.pop(name))
            factors[name] = from_strings(codes, list(ids.pop(name)), text=name in text)
        return factors

    def place(self, row: int) -> str:
        """Say where in the file a loaded row is."""
        return f"line {self._row_lines[row]}"

    def _chunks(self) -> Iterator[tuple[list[int], list[str]]]:
        """Yield the header, then some rows at a time: the lines they start on, and all their cells."""
        open_file: Any = gzip.open if self.path.suffix.lower() == ".gz" else open
        try:
            with open_file(self.path, "rt", encoding=self.encoding) as stream:
                yield from self._split(chain.from_iterable(self._lines(stream)))
        except UnicodeError:
            with suppress(EOFError, zlib.error, OSError), open_file(self.path, "rb") as stream:
                self._refuse_bytes(stream)
            self._refuse("holds bytes that are no text, and its end cannot be read; is it damaged?")
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            self._refuse(f"is not a valid gzip file: {error}")
        except OSError as error:
            self._refuse(f"cannot be read: {error.strerror or error}")

    def _lines(self, stream: Any) -> Iterator[list[str]]:
        """Yield some lines at a time; one that never ends is refused before it fills the memory."""
        n_lines, rest, blank = 0, "", 0
        while block := stream.read(_BLOCK):
            rest += block
            self._n_read += len(block)
            blank = blank + len(block) if block.isspace() else 0
            if blank > _LONGEST_LINE:
                self._refuse(f"holds nothing but blanks for more than 16 MiB before line {n_lines}; is it damaged?")
            if "\0" in block:
                line = n_lines + 1 + rest[: rest.index("\0")].count("\n")
                self._refuse(f"has a NUL byte in line {line}; is it separated text, in this encoding?")
            if "\n" in block:
                *lines, rest = StringIO(rest).readlines()
                n_lines += len(lines)
                yield lines
            if len(rest) > _LONGEST_LINE:
                self._refuse(f"has a line of more than 16 MiB, line {n_lines + 1}; is it separated text?")
        if rest:
            yield [rest]

    def _split(self, lines: Iterator[str]) -> Iterator[tuple[list[int], list[str]]]:
        """Split lines into cells, passing over blank lines and one that names the delimiter, as Excel writes it."""
        before, first, said = -1, "", None
        while not first.strip() or (said is not None and said.string is first):
            before, first = before + 1, next(lines, "")
            if not first:
                self._refuse("holds nothing but blank lines" if before else "is empty")
            said = said or _NAMES_DELIMITER.fullmatch(first)
        delimiter = said[1] if said else self._delimiter(first)
        reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True, skipinitialspace=True)
        starts: list[int] = []
        cells: list[str] = []
        end = before
        try:
            header = [name.strip() for name in next(reader)]
            yield [before + 1], header
            n_rows = max(1000, _CELLS_AT_ONCE // len(header))
            end, most = before + reader.line_num, self._n_read + _TEXT_AT_ONCE
            for row in reader:
                start, end = end + 1, before + reader.line_num
                if len(row) == len(header):
                    starts.append(start)
                    cells.extend(row)
                    if len(starts) == n_rows or self._n_read > most:
                        yield starts, cells
                        starts, cells = [], []
                        most = self._n_read + _TEXT_AT_ONCE
                elif any(map(str.strip, row)) or len(row) > 1:
                    self._refuse(f"has {counted(len(row), 'cell')} in line {start}, and {len(header)} in its header")
            if starts:
                yield starts, cells
        except csv.Error as error:
            self._refuse(f'cannot be split at line {end + 1} ({error}); is there a quote (") that is never closed?')

    def _delimiter(self, header: str) -> str:
        if self.path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
            return "\t"
        return next((mark for mark in ",;\t|" if mark in header), ",")

    def _refuse_bytes(self, stream: Any) -> NoReturn:
        """Say which byte is not in the encoding, and on which line."""
        where, suggestion = "", "latin-1"
        for number, line in enumerate(iter(partial(stream.readline, _LONGEST_LINE), b""), start=1):
            if number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                suggestion = "utf-16"
            try:
                line.decode(self.encoding)
            except UnicodeDecodeError as error:
                where = f": byte 0x{line[error.start]:02x} in line {number}"
                break
        encoding = self.encoding.removesuffix("-sig")
        self._refuse(
            f"is not in the encoding {encoding}{where}; pass encoding={suggestion!r} (--encoding {suggestion}) if that "
            "is the right one"
        )

    def _refuse(self, fault: str) -> NoReturn:
        raise DataError(f"{self.title} {fault}")
