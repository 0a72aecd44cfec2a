"""The grammar of BIF files, by recursive descent: each method reads one rule, and knows the line it is on."""

from __future__ import annotations

import re
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.errors import ElcsError, KnowledgeError, unknown_name
from elcs.networks.bif_tokens import Token, Tokens
from elcs.networks.checks import find_cycle
from elcs.networks.network import Network

__all__ = ["Parser"]

ROUNDING = 1e-3
"""How far from 1 the sum of probabilities may be."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COUNT = re.compile(r"[0-9]{1,6}")

Configuration = tuple[str, ...]


class Declared(NamedTuple):
    """What the file says about a variable, and where."""

    levels: tuple[str, ...]
    at: Token


class Given(NamedTuple):
    """A block of probabilities: the parents, the table, and where it is."""

    parents: tuple[str, ...]
    table: NDArray[np.float64]
    at: Token


class Parser(Tokens):
    """Reads one text; `title` is what messages call it."""

    def __init__(self, text: str, title: str) -> None:
        super().__init__(text, title)
        self._name = ""
        self._variables: dict[str, Declared] = {}
        self._blocks: dict[str, Given] = {}

    def network(self) -> Network:
        """Read the whole text."""
        self._read_head()
        while self.ahead.kind != "end":
            start = self.ahead
            if self.takes_keyword("variable"):
                self._read_variable()
            elif self.takes_keyword("probability"):
                self._read_probability()
            else:
                self.refuse(f"expected 'variable' or 'probability', found {start}", start)
        return self._assemble()

    def _assemble(self) -> Network:
        for name, declared in self._variables.items():
            if name not in self._blocks:
                self.refuse(f"variable {name!r} has no probabilities", declared.at)
        parents = {name: self._blocks[name].parents for name in self._variables}
        cycle = find_cycle(parents)
        if cycle:
            line = self.line(self._blocks[cycle[0]].at)
            raise KnowledgeError(f"{self.title}, line {line}: the parents form the cycle {' -> '.join(cycle)}")
        levels = {name: declared.levels for name, declared in self._variables.items()}
        tables = {name: self._blocks[name].table for name in self._variables}
        try:
            return Network(self._name, tuple(self._variables), levels, parents, tables)
        except ElcsError as error:
            raise type(error)(f"{self.title}: {error}") from None

    # Blocks

    def _read_head(self) -> None:
        start = self.ahead
        if not self.takes_keyword("network"):
            self.refuse(f"a BIF file starts with 'network', found {start}", start)
        self._name = self.take_name("the name of the network").text
        self.take("{")
        while not self.takes("}"):
            self.skip_property("'property' or '}'")

    def _read_variable(self) -> None:
        name = self.take_name("the name of a variable")
        if name.text in self._variables:
            first = self.line(self._variables[name.text].at)
            self.refuse(f"variable {name.text!r} is described a second time, after line {first}", name)
        levels: tuple[str, ...] | None = None
        self.take("{")
        while not self.takes("}"):
            if levels is None and self.takes_keyword("type"):
                levels = self._read_levels(name.text)
            else:
                self.skip_property("'type', 'property' or '}'" if levels is None else "'property' or '}'")
        if levels is None:
            self.refuse(f"variable {name.text!r} has no type", name)
        self._variables[name.text] = Declared(levels, name)

    def _read_levels(self, name: str) -> tuple[str, ...]:
        kind = self.take_name("the type 'discrete'")
        if kind.text != "discrete":
            self.refuse(f"variable {name!r} is of type {kind.text!r}; only 'discrete' is known", kind)
        self.take("[")
        count = self.take_name("the number of levels")
        if not _COUNT.fullmatch(count.text):
            self.refuse(f"expected the number of levels, found {count}", count)
        self.take("]")
        self.take("{")
        levels = self.take_names("a level", "}")
        self.take(";")
        if len(levels) != int(count.text):
            self.refuse(f"variable {name!r} is said to have {count.text} levels, but {len(levels)} follow", count)
        for i, level in enumerate(levels):
            if level.text in [earlier.text for earlier in levels[:i]]:
                self.refuse(f"variable {name!r} has the level {level.text!r} more than once", level)
        return tuple(level.text for level in levels)

    def _read_probability(self) -> None:
        self.take("(")
        name = self.take_name("the name of a variable")
        if name.text in self._blocks:
            first = self.line(self._blocks[name.text].at)
            self.refuse(f"the probabilities of {name.text!r} are given a second time, after line {first}", name)
        found = [name]
        if self.takes("|"):
            found += self.take_names("a parent", ")")
        else:
            self.take(")", "'|' or ')'")
        for i, token in enumerate(found):
            if token.text not in self._variables:
                self.refuse(str(unknown_name(token.text, self._variables, what="variable")), token)
            if token.text in [earlier.text for earlier in found[:i]]:
                what = "its own parent" if token.text == name.text else "named as a parent twice"
                self.refuse(f"{token.text!r} is {what}", token)
        parents = tuple(token.text for token in found[1:])
        self._blocks[name.text] = Given(parents, self._read_table(name.text, parents), name)

    # Probabilities

    def _read_table(self, name: str, parents: tuple[str, ...]) -> NDArray[np.float64]:
        levels = [self._variables[parent].levels for parent in parents]
        n_levels = len(self._variables[name].levels)
        shape = (*map(len, levels), n_levels)
        rows: dict[Configuration, list[float]] = {}
        default = whole = None
        self.take("{")
        while self.ahead[:2] != ("mark", "}"):
            start = self.ahead
            if self.takes("("):
                configuration = self._read_configuration(parents)
                if configuration in rows:
                    self.refuse(f"the configuration ({', '.join(configuration)}) is given a second time", start)
                rows[configuration] = self._read_row(name, n_levels)
            elif default is None and self.takes_keyword("default"):
                default = self._read_row(name, n_levels)
            elif whole is None and self.takes_keyword("table"):
                whole = self._read_whole(name, shape)
            else:
                self.skip_property("'(', 'table', 'default', 'property' or '}'")
        end = self.take("}")
        if whole is not None:
            if rows or default:
                self.refuse(f"{name!r} has both a table and configurations; give one of them", end)
            return whole
        table = np.empty((prod(shape[:-1]), n_levels))
        for i, configuration in enumerate(product(*levels)):
            row = rows.get(configuration, default)
            if row is None:
                where = f" when its parents are ({', '.join(configuration)})" if parents else ""
                self.refuse(f"the probabilities of {name!r}{where} are missing", end)
            table[i] = row
        return table.reshape(shape)

    def _read_configuration(self, parents: tuple[str, ...]) -> Configuration:
        start = self.ahead
        found = self.take_names("a level", ")")
        if len(found) != len(parents):
            self.refuse(f"{len(found)} levels are given for {len(parents)} parents", start)
        for parent, level in zip(parents, found, strict=True):
            if level.text not in self._variables[parent].levels:
                known = self._variables[parent].levels
                self.refuse(f"parent {parent!r}: {unknown_name(level.text, known, what='level')}", level)
        return tuple(level.text for level in found)

    def _read_row(self, name: str, n_levels: int) -> list[float]:
        start = self.ahead
        numbers = self._read_numbers()
        if len(numbers) != n_levels:
            self.refuse(f"{len(numbers)} probabilities are given for the {n_levels} levels of {name!r}", start)
        total = sum(numbers)
        if abs(total - 1) > ROUNDING:
            self.refuse(f"the probabilities of {name!r} sum to {total:.6g} instead of 1", start)
        return [number / total for number in numbers] if abs(total - 1) > 1e-12 else numbers

    def _read_whole(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        start = self.ahead
        numbers = self._read_numbers()
        if len(numbers) != prod(shape):
            self.refuse(f"the table of {name!r} has {len(numbers)} probabilities; it needs {prod(shape)}", start)
        table = np.moveaxis(np.array(numbers).reshape(shape[-1], *shape[:-1]), 0, -1)
        totals = table.sum(axis=-1, keepdims=True)
        worst = float(totals.flat[np.abs(totals - 1).argmax()])
        if abs(worst - 1) > ROUNDING:
            order = "; a table lists them with the variable itself changing slowest" if len(shape) > 1 else ""
            self.refuse(f"the probabilities of {name!r} sum to {worst:.6g} instead of 1{order}", start)
        return np.where(np.abs(totals - 1) > 1e-12, table / totals, table)

    def _read_numbers(self) -> list[float]:
        numbers = []
        for token in self.take_names("a probability", ";"):
            value = float(token.text) if _NUMBER.fullmatch(token.text) else -1.0
            if not 0 <= value <= 1 + ROUNDING:
                self.refuse(f"expected a probability, a number from 0 to 1, found {token}", token)
            numbers.append(value)
        return numbers
