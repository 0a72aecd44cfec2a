"""Bayesian networks over discrete variables: an acyclic graph, and for each variable a table of probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elcs.data.levels import Factor
from elcs.data.prepare import check_memory
from elcs.data.table import Table
from elcs.errors import unknown_name
from elcs.networks import checks
from elcs.networks.inference import marginal
from elcs.networks.sampling import cumulative, draw

if TYPE_CHECKING:
    import networkx as nx

    from elcs.graph.pdag import PDAG

__all__ = ["Network", "Summary"]


class Summary(NamedTuple):
    """A network in numbers: what tables of benchmark networks list.

    `pc` counts parents and children together; `parameters` counts the free ones.
    """

    variables: int
    edges: int
    parameters: int
    max_in_degree: int
    max_out_degree: int
    min_pc: int
    max_pc: int
    min_levels: int
    max_levels: int


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A Bayesian network, checked when it is made and immutable from then on.

    Attributes
    ----------
    name : str
        What the network is called.
    variables : tuple of str
        The variables, in the order of the columns of a sample.
    levels : mapping of str to tuple of str
        The levels of each variable, in their order.
    parents : mapping of str to tuple of str
        The direct causes of each variable.
    tables : mapping of str to array
        For each variable its probabilities given its parents: an axis for each parent, in their order, and
        last one for the variable itself, along which the numbers sum to 1. Read-only. Nested lists are taken too.

    Raises
    ------
    DataError
        If names, levels or tables do not fit each other.
    KnowledgeError
        If the parents are unknown or form a cycle.

    Examples
    --------
    >>> rain = Network(
    ...     "rain",
    ...     ("rain", "wet"),
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": (), "wet": ("rain",)},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.05, 0.95]]},
    ... )
    >>> rain
    Network('rain', 2 variables, 1 edges)
    >>> rain.sample(1000, random_state=1)
    Table(1,000 rows, 2 columns)
    >>> rain.marginal("wet")
    array([0.73, 0.27])
    """

    name: str
    variables: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    parents: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, NDArray[np.float64]]
    children: Mapping[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        variables = tuple(self.variables)
        checks.check_variables(variables)
        known = dict.fromkeys(variables)
        for described, what in ((self.levels, "levels"), (self.parents, "parents"), (self.tables, "table")):
            checks.check_complete(described, known, what)
        levels = {name: tuple(self.levels[name]) for name in variables}
        parents = {name: tuple(self.parents[name]) for name in variables}
        for name in variables:
            checks.check_levels(name, levels[name])
        checks.check_graph(parents)
        tables: dict[str, NDArray[np.float64]] = {}
        children: dict[str, tuple[str, ...]] = dict.fromkeys(variables, ())
        for name, its in parents.items():
            shape = tuple(len(levels[v]) for v in (*its, name))
            tables[name] = checks.checked_table(name, self.tables[name], shape)
            for parent in its:
                children[parent] += (name,)
        self._set("variables", variables)
        for attribute, mapping in (
            ("levels", levels),
            ("parents", parents),
            ("tables", tables),
            ("children", children),
        ):
            self._set(attribute, MappingProxyType(mapping))

    def _set(self, attribute: str, value: object) -> None:
        object.__setattr__(self, attribute, value)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All pairs of cause and effect."""
        return tuple((parent, name) for name, its in self.parents.items() for parent in its)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: one less than there are levels, for each configuration of the parents."""
        return sum(table.size - table.size // table.shape[-1] for table in self.tables.values())

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The variables, parents before children."""
        return checks.topological_order(self.parents)

    def summary(self) -> Summary:
        """Return the network in numbers.

        Examples
        --------
        >>> import elcs.networks
        >>> print(elcs.networks.load("asia").summary())
        Summary(variables=8, edges=8, parameters=18, max_in_degree=2, max_out_degree=2, min_pc=1, max_pc=4, ...
        """
        ins = [len(self.parents[v]) for v in self.variables]
        outs = [len(self.children[v]) for v in self.variables]
        pcs = [i + o for i, o in zip(ins, outs, strict=True)]
        counts = [len(self.levels[v]) for v in self.variables]
        return Summary(
            len(self.variables), len(self.edges), self.n_parameters, max(ins), max(outs), min(pcs), max(pcs),
            min(counts), max(counts),
        )  # fmt: skip

    def markov_blanket(self, variable: str) -> tuple[str, ...]:
        """Return parents, children, and the other parents of the children.

        Examples
        --------
        >>> import elcs.networks
        >>> elcs.networks.load("asia").markov_blanket("bronc")
        ('smoke', 'dysp', 'either')
        """
        if variable not in self.parents:
            raise unknown_name(variable, self.variables, what="variable")
        children = self.children[variable]
        spouses = (parent for child in children for parent in self.parents[child] if parent != variable)
        return tuple(dict.fromkeys((*self.parents[variable], *children, *spouses)))

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the graph, its nodes in the order of the variables."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph(name=self.name)
        graph.add_nodes_from(self.variables)
        graph.add_edges_from(self.edges)
        return graph

    def cpdag(self) -> PDAG:
        """Return the essential graph: the most that observations can say about the directions.

        Examples
        --------
        >>> import elcs.networks
        >>> essential = elcs.networks.load("asia").cpdag()
        >>> essential.parents("dysp"), essential.undirected("smoke")
        (['bronc', 'either'], ['lung', 'bronc'])
        """
        from elcs.graph.cpdag import cpdag

        return cpdag(self.to_networkx())

    def marginal(self, *variables: str) -> NDArray[np.float64]:
        """Return the exact joint distribution of some variables, an axis each, by variable elimination.

        Examples
        --------
        >>> import elcs.networks
        >>> elcs.networks.load("asia").marginal("lung", "bronc").round(4)
        array([[0.0315, 0.0235],
               [0.4185, 0.5265]])
        """
        for name in variables:
            if name not in self.parents:
                raise unknown_name(name, self.variables, what="variable")
        return marginal(self.parents, self.tables, variables)

    def do(self, variable: str, level: str) -> Network:
        """Return the network in which a variable is set to a level, whatever its causes are.

        Its marginals are the distributions under that intervention (the truncated factorisation).

        Examples
        --------
        >>> import elcs.networks
        >>> asia = elcs.networks.load("asia")
        >>> asia.do("smoke", "no").marginal("lung").round(3)
        array([0.01, 0.99])
        >>> asia.do("lung", "yes").marginal("smoke").round(3)
        array([0.5, 0.5])
        """
        if variable not in self.parents:
            raise unknown_name(variable, self.variables, what="variable")
        levels = self.levels[variable]
        if level not in levels:
            raise unknown_name(level, levels, what="level")
        certain = np.array([float(other == level) for other in levels])
        return Network(
            self.name, self.variables, self.levels, {**self.parents, variable: ()}, {**self.tables, variable: certain}
        )

    def sample(self, n: int, *, random_state: int | np.random.Generator | None = None) -> Table:
        """Draw observations from the network.

        The columns are of kind 'category'; their levels are the labels of the network in its order. As in every
        `Table`, a level that was not drawn is not a level of the column, and a column in which only one was
        drawn is left out, with a `DataWarning`.

        Parameters
        ----------
        n : int
            The number of rows.
        random_state : int or numpy.random.Generator, optional
            The seed; equal seeds give equal samples.

        Examples
        --------
        >>> import elcs.networks
        >>> data = elcs.networks.load("sachs").sample(1000, random_state=1)
        >>> data.levels[data.index("Akt")]
        ('LOW', 'AVG', 'HIGH')
        """
        checks.check_count("n", n, 1)
        check_memory(int(n), len(self.variables))
        codes = draw(self.order, self.parents, self._cumulative, int(n), np.random.default_rng(random_state))
        factors = {name: _factor(codes[name], self.levels[name]) for name in self.variables}
        return Table.from_factors(factors)

    @cached_property
    def _cumulative(self) -> Mapping[str, NDArray[np.float64]]:
        return {name: cumulative(table) for name, table in self.tables.items()}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        same = (self.name, self.variables) == (other.name, other.variables)
        return (
            same
            and dict(self.levels) == dict(other.levels)
            and dict(self.parents) == dict(other.parents)
            and all(np.array_equal(table, other.tables[name]) for name, table in self.tables.items())
        )

    def __hash__(self) -> int:
        return hash((self.name, self.variables))

    def __repr__(self) -> str:
        return f"Network({self.name!r}, {len(self.variables)} variables, {len(self.edges)} edges)"

    def __reduce__(self) -> tuple[Any, ...]:
        # The views that make the mappings read-only cannot be pickled.
        return Network, (self.name, self.variables, dict(self.levels), dict(self.parents), dict(self.tables))


def _factor(codes: NDArray[Any], levels: tuple[str, ...]) -> Factor:
    factor = Factor(codes, list(levels), "category")
    if codes.dtype == np.uint8:
        drawn = codes.tobytes()  # a search for a byte stops where it is found: 30 times as fast as counting
        complete = all(code in drawn for code in range(len(levels)))
    else:
        complete = bool(np.bincount(codes, minlength=len(levels)).all())
    return factor if complete else factor.take(np.ones(len(codes), dtype=np.bool_))
