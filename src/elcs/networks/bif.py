"""Reading and writing the Bayesian Interchange Format, in the dialect of the Bayesian Network Repository.

    network rain {
    }
    variable wet {
      type discrete [ 2 ] { no, yes };
    }
    probability ( wet | rain ) {
      (no) 0.9, 0.1;
      (yes) 0.05, 0.95;
    }

Names and levels are words, of anything but white space and ``{ } ( ) [ ] , ; | "``, or are in double quotes, where a
backslash escapes a quote or a backslash. Comments (``//`` to the end of the line, or between ``/*`` and ``*/``) and
``property`` lines are skipped. Instead of a line for each configuration of the parents, a ``table`` lists all numbers,
the variable itself changing slowest, the last parent fastest; ``default`` is for configurations that are not listed.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NoReturn

from elcs.data.files import located
from elcs.errors import DataError
from elcs.networks.bif_parser import Parser
from elcs.networks.network import Network
from elcs.writing import write_file

__all__ = ["read_bif", "write_bif"]

_PLAIN = re.compile(r'[^\s{}()\[\],;|"]+')


def read_bif(source: str | os.PathLike[str]) -> Network:
    """Read a network from a BIF file, plain or gzipped, or from its text.

    Probabilities whose sum is within 0.001 of 1 are taken to be rounded, and are made to sum to 1.

    Parameters
    ----------
    source : path or str
        A file, compressed if its name ends in .gz; or, if it has a brace or several lines, the text itself.

    Raises
    ------
    DataError
        If the text is malformed; the message gives the line and the reason.
    KnowledgeError
        If the parents form a cycle.

    Examples
    --------
    >>> read_bif('''
    ... network coin { }
    ... variable side { type discrete [ 2 ] { heads, tails }; }
    ... probability ( side ) { table 0.5, 0.5; }
    ... ''')
    Network('coin', 1 variables, 0 edges)
    """
    if isinstance(source, str) and ("{" in source or "\n" in source):
        return Parser(source, "the text").network()
    path = located(source)
    return Parser(_text_of(path), repr(str(path))).network()


def write_bif(network: Network, path: str | os.PathLike[str] | None = None) -> str:
    """Return a network as BIF text, and write it to a file if one is named, gzipped if its name ends in .gz.

    Reading it gives an equal network, to the last bit of every probability.

    Examples
    --------
    >>> import elcs.networks
    >>> print(write_bif(elcs.networks.load("asia"))[:67])
    network asia {
    }
    variable asia {
      type discrete [ 2 ] { yes, no };
    """
    text = "\n".join(_lines(network)) + "\n"
    if path is not None:
        data = text.encode()
        packed = str(path).lower().endswith(".gz")
        # without the time and the name of the file, so that equal networks give equal bytes
        write_file(located(path), gzip.compress(data, 9, mtime=0) if packed else data)
    return text


def _lines(network: Network) -> Iterator[str]:
    yield f"network {_word(network.name)} {{"
    yield "}"
    for name in network.variables:
        levels = ", ".join(map(_word, network.levels[name]))
        yield f"variable {_word(name)} {{"
        yield f"  type discrete [ {len(network.levels[name])} ] {{ {levels} }};"
        yield "}"
    for name in network.variables:
        parents, table = network.parents[name], network.tables[name]
        given = f" | {', '.join(map(_word, parents))}" if parents else ""
        yield f"probability ( {_word(name)}{given} ) {{"
        rows = table.reshape(-1, table.shape[-1]).tolist()
        configurations = product(*([_word(level) for level in network.levels[parent]] for parent in parents))
        for configuration, row in zip(configurations, rows, strict=True):
            head = f"({', '.join(configuration)})" if parents else "table"
            yield f"  {head} {', '.join(map(_number, row))};"
        yield "}"


def _word(name: str) -> str:
    if _PLAIN.fullmatch(name) and "//" not in name and "/*" not in name:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _text_of(path: Path) -> str:
    def refuse(fault: str) -> NoReturn:
        raise DataError(f"{str(path)!r} {fault}")

    try:
        data = path.read_bytes()
        if path.suffix.lower() == ".gz":
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        refuse(f"line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        refuse(f"is not a valid gzip file: {error}")
    except FileNotFoundError:
        refuse("does not exist; give the path of a BIF file, or its text")
    except OSError as error:
        refuse(f"cannot be read: {error.strerror or error}")
