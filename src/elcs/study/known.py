"""What people know, as they write it: a mapping, a TOML file, or a knowledge file of Tetrad."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from elcs.errors import KnowledgeError
from elcs.graph.knowledge import Knowledge

__all__ = ["Known", "parse_tetrad", "understood"]

Known = Knowledge | Mapping[str, Any] | str | PathLike[str]
"""Knowledge in any of the forms in which people write it down."""

_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup")


def understood(what: Known) -> Knowledge:
    """Return knowledge as such, from whatever form it was written in.

    Examples
    --------
    >>> understood({"exogenous": ["age"], "required": [["age", "churn"]]})
    Knowledge(required=[['age', 'churn']], exogenous=['age'])
    """
    if isinstance(what, Knowledge):
        return _ordering(what)
    if isinstance(what, Mapping):
        return _ordering(Knowledge.from_dict(what))
    if not isinstance(what, str | PathLike):
        raise KnowledgeError(f"knowledge must be an elcs.Knowledge, a mapping or the name of a file, not {what!r}")
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        text = Path(what).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise KnowledgeError(f"cannot read the knowledge file {what}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise KnowledgeError(f"the knowledge file {what} is not text in UTF-8") from None
    try:
        if text.lstrip().lower().startswith(("/knowledge", *_SECTIONS)):
            return parse_tetrad(text)
        return _ordering(Knowledge.from_dict(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        raise KnowledgeError(f"{what}: this is neither TOML nor a knowledge file of Tetrad: {error}") from None
    except KnowledgeError as error:
        raise KnowledgeError(f"{what}: {error}") from None


def _ordering(known: Knowledge) -> Knowledge:
    """Refuse a single tier, which orders nothing."""
    if len(known.tiers) == 1 and not known.closed:
        raise KnowledgeError(
            f"tiers has only one tier, {', '.join(known.tiers[0])}, and so says nothing; give two or more, the "
            "earliest first, as in tiers=[['age'], ['churn']], or add closed=[1] if the columns of the tier do not "
            "cause each other"
        )
    return known


def parse_tetrad(text: str) -> Knowledge:
    r"""Return what a knowledge file of Tetrad says.

    Tiers are numbered from 1, and a star after the number means that there are no arrows within the tier. A group is
    two lines, the causes and the effects. Tetrad may write a single tier, which says nothing and is left out.

    Examples
    --------
    >>> parse_tetrad("/knowledge\naddtemporal\n1* age sex\n2 churn\nrequiredirect\nage churn")
    Knowledge(tiers=[['age', 'sex'], ['churn']], required=[['age', 'churn']], closed=[1])
    """
    tiers: dict[int, list[str]] = {}
    closed: set[int] = set()
    arrows: dict[str, list[tuple[str, str]]] = {"forbid": [], "require": []}
    section, causes = "", list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        words = [quoted or word for quoted, word in re.findall(r'"([^"]*)"|([^\s,]+)', line.split("//")[0])]
        if not words or words[0].lower() == "/knowledge":
            continue
        if len(words) == 1 and words[0].lower() in _SECTIONS:
            section, causes = words[0].lower(), []
        elif section == "addtemporal":
            tier = re.fullmatch(r"([1-9]\d*)(\*?)", words[0])
            if tier is None:
                raise KnowledgeError(
                    f"line {number}: a line of addtemporal begins with the number of a tier, 1, 2, ..., with * after "
                    f"it if there are no arrows within the tier; {words[0]!r} is not understood"
                )
            tiers.setdefault(int(tier[1]), []).extend(words[1:])
            closed.update([int(tier[1])] if tier[2] else [])
        elif section.endswith("group"):
            kind = "forbid" if section.startswith("forbid") else "require"
            arrows[kind] += [(a, b) for a in causes for b in words if a != b]
            causes = [] if causes else words
        elif section.endswith("direct") and len(words) == 2:
            arrows[section.removesuffix("direct")].append((words[0], words[1]))
        else:
            wanted = "two names, a cause and an effect" if section else f"one of {', '.join(_SECTIONS)}"
            raise KnowledgeError(f"line {number}: expected {wanted}, not {line.strip()!r}")
    order = [i for i in sorted(tiers) if tiers[i]]
    if len(order) == 1 and not closed:
        order = []
    numbers = [place for place, i in enumerate(order, 1) if i in closed]
    return Knowledge([tiers[i] for i in order], arrows["require"], arrows["forbid"], closed=numbers)
