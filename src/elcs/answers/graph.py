"""What a run over all variables returns: the whole graph."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from elcs.answers import showing
from elcs.answers.assembling import around, evidence_of
from elcs.answers.background import Background
from elcs.answers.edges import Edges
from elcs.answers.evidence import Disagreement, Evidence
from elcs.answers.local import LocalStructure
from elcs.answers.steady import only_steady_graph
from elcs.answers.written import edges_as_text, graph_as_dict, graph_as_text
from elcs.errors import DataError, ElcsError, unknown_name
from elcs.graph.knowledge import NOTHING
from elcs.graph.pdag import PDAG, Edge
from elcs.learners.notes import Whole
from elcs.study import Plan, Study
from elcs.study.cost import Cost
from elcs.writing import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from elcs.answers.blanket import MarkovBlanket
    from elcs.answers.effect import Effect
    from elcs.answers.graph_stability import GraphStability

__all__ = ["Asks", "CausalGraph"]


class Asks(NamedTuple):
    """How to ask again: a study about a variable, and about all of them."""

    about: Callable[[Study, str], MarkovBlanket]
    all: Callable[[Study], CausalGraph]


@dataclass(frozen=True, repr=False)
class CausalGraph(Edges):
    """All variables, or those of a part, and the edges between them, with directions where they could be found.

    Attributes
    ----------
    nodes : tuple of str
        The variables.
    method : str
        Which method found it.
    directed : tuple of (str, str)
        Edges with a direction: cause and effect.
    undirected : tuple of (str, str)
        Edges without a known direction.
    leanings : mapping
        For undirected edges that the data lean to give a direction, as cause and effect: by how many nats every network
        found without that arrow scores less, or None if that is not known. Only some methods weigh that.
    separators : mapping
        For pairs found not to be adjacent, the set that separates the two, if the method looks for one.
    conflicts : tuple of Disagreement
        Rules that contradict each other about the direction of an edge, and tests that contradict what somebody said.
    from_knowledge : mapping
        The arrows that somebody said are there or point this way, and the statement that says so.
    n_tests, n_computed : int
        How many tests or scores the method asked for, and how many had to be computed.
    seconds : float
        How long it took.
    complete : bool
        False if a limit or an interruption stopped the run.
    settings : mapping
        The options of the run.
    plan : Plan or None
        What was asked, so that it can be asked again.
    half_samples : int
        In how many half-samples its directions had to come back often enough (`steady`); 0 if that was not asked for.
    background : Background or None
        The table behind the answer, if there was one; where values are missing, also how many rows the tests of pairs
        had.
    """

    leanings: Mapping[Edge, float | None] = field(default_factory=dict)
    separators: Mapping[frozenset[str], tuple[str, ...]] = field(default_factory=dict)
    conflicts: tuple[Disagreement, ...] = ()
    from_knowledge: Mapping[Edge, str] = field(default_factory=dict)
    n_tests: int = 0
    n_computed: int = 0
    seconds: float = 0.0
    complete: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Plan | None = field(default=None, compare=False)
    background: Background | None = field(default=None, compare=False)
    half_samples: int = 0
    _graph: PDAG | None = field(default=None, compare=False)
    _study: Study | None = field(default=None, compare=False)
    _asks: Asks | None = field(default=None, compare=False)

    @property
    def divisible(self) -> bool:
        """Whether the same can be asked about half of the rows."""
        return self._study is not None and self._study.divisible

    @property
    def claims_directions(self) -> bool:
        """Whether any edge has a direction."""
        return bool(self.directed)

    def effect(self, cause: str, effect: str) -> Effect:
        """Estimate what setting one column would do to another; `elcs.effect` says how.

        Examples
        --------
        >>> import elcs
        >>> found = elcs.learn_graph(elcs.data.SAMPLE).effect("outages", "satisfaction")
        >>> found.identified, found.possible[0].adjusted_for
        (True, ('price_rise',))
        """
        from elcs.answers.estimating import effect_in

        graph, study, _ = self._made_from("elcs.effect(table, cause, effect, method=...)", table=True)
        whole = len(self.nodes) == len(study.variables)
        return effect_in(graph, study, cause, effect, whole=whole, complete=self.complete)

    def _made_from(self, instead: str, *, table: bool = False) -> tuple[PDAG, Study, Asks]:
        """Return what the graph was made from, or say what to do if it does not know."""
        graph, study, asks = self._graph, self._study, self._asks
        if graph is None or study is None or asks is None or (table and study.table is None):
            raise ElcsError(
                "this graph does not know the table it was made from: it was loaded from a file, or there was no "
                f"table; use {instead} instead"
            )
        return graph, study, asks

    def around(self, v: str) -> LocalStructure:
        """Return what this graph says about one variable, with the evidence, as `elcs.learn` returns it.

        Examples
        --------
        >>> import elcs
        >>> result = elcs.learn_graph(elcs.data.SAMPLE).around("satisfaction")
        >>> result.parents, result.spouses
        (('price_rise', 'outages'), {'churn': ('contract',)})
        """
        self._made_from("elcs.learn(table, target)")
        if v not in self._ends:
            raise unknown_name(v, self.nodes, what="variable")
        if v not in self._around:
            self._around[v] = self._surroundings(v)
        return self._around[v]

    def _surroundings(self, v: str) -> LocalStructure:
        graph, study, asks = self._made_from("elcs.learn(table, target)")
        told = {name: getattr(self, name) for name in ("method", "settings", "plan", "half_samples", *Cost._fields)}
        return around(study, self._whole(graph), v, asks.about, **told)

    def _whole(self, graph: PDAG) -> Whole:
        """Return the notes that the graph was made from."""
        return Whole.of(self.nodes, graph, self.separators)

    @cached_property
    def _around(self) -> dict[str, LocalStructure]:
        """The surroundings that have been asked for."""
        return {}

    def evidence(self, a: str, b: str) -> Evidence:
        """Return what is known about two variables, be there an edge or not, as data: a in relation to b.

        Examples
        --------
        >>> import elcs
        >>> elcs.learn_graph(elcs.data.SAMPLE).evidence("age", "churn").separated_by.given
        ('contract',)
        """
        if a == b and a in self._ends:
            raise DataError(f"{a!r} is given twice; name two different variables")
        known = self.around(b).evidence
        if a not in known:
            raise unknown_name(a, known, what="variable")
        return known[a]

    def evidence_of_edges(self) -> dict[Edge, Evidence]:
        """Return the evidence for every edge, as data; none if the graph does not know what it was made from.

        Examples
        --------
        >>> import elcs
        >>> elcs.learn_graph(elcs.data.SAMPLE).evidence_of_edges()["contract", "churn"].direction.rule
        'better arrangement'
        """
        if self._graph is None or self._study is None:
            return {}
        return evidence_of(self._study, self._whole(self._graph), self.edges)

    @property
    def strengths(self) -> dict[frozenset[str], float]:
        """How strong the association of each two neighbours is, from 0 to 1, as far as that is known."""
        tests = {edge: evidence.association for edge, evidence in self.evidence_of_edges().items()}
        return {frozenset(edge): t.strength for edge, t in tests.items() if t is not None and t.strength is not None}

    def explain(self, a: str | None = None, b: str | None = None) -> str:
        """Say in a few sentences why there is an edge between two variables, or why there is none.

        Of one variable, all edges are explained, and without any, all edges of the graph.

        Examples
        --------
        >>> import elcs
        >>> print(elcs.learn_graph(elcs.data.SAMPLE).explain("age", "satisfaction"))
        age is not directly connected with satisfaction: they are independent (p = 0.74).
        """
        if a is not None and b is not None:
            self.evidence(a, b)
            return self.around(b).explain(a)
        if a is not None and a not in self._ends:
            raise unknown_name(a, self.nodes, what="variable")
        edges = [edge for edge in self.edges if a is None or a in edge]
        return "\n".join(self.explain(*edge) for edge in edges)

    def stability(
        self,
        n_samples: int = 100,
        *,
        n_jobs: int = 1,
        random_state: int = 0,
        timeout: float | None = None,
        report: Callable[[int], None] = lambda n_done: None,
    ) -> GraphStability:
        """Count how often each edge comes back when only half of the observations are used.

        Takes what `elcs.stability` takes; the table and the plan are those of this run.

        Examples
        --------
        >>> import elcs
        >>> elcs.learn_graph(elcs.data.SAMPLE).stability(20).between("outages", "satisfaction").forth
        1.0
        """
        from elcs.answers.graph_stability import resample_graph

        _, study, asks = self._made_from("elcs.learn_graph(table)", table=True)
        study = study.under(replace(study.plan, timeout=timeout, max_tests=None))
        return resample_graph(
            study, asks.all, n_samples=n_samples, n_jobs=n_jobs, random_state=random_state, report=report
        )

    def steady(self, stability: GraphStability) -> CausalGraph:
        """Return the graph with only those directions that come back in 70 % of the half-samples, and the rest open.

        It is for methods by tests alone. On the command line they are checked in this way within a second. Fewer than
        20 half-samples are too few to tell; the graph then stays as it is, and `half_samples` is 0.

        Examples
        --------
        >>> import elcs
        >>> graph = elcs.learn_graph(elcs.data.SAMPLE, method="elcs-global")
        >>> graph.steady(graph.stability(20)).parents("satisfaction")
        ('price_rise', 'outages')
        """
        return only_steady_graph(self, stability)

    def cpdag(self) -> CausalGraph:
        """Return the same graph with only those directions on which all equivalent graphs agree.

        Observations alone cannot settle the others. If something was known beforehand, only those graphs count that
        fit it. A graph that has undirected edges is returned as it is.
        """
        from elcs.graph.cpdag import essential_graph

        if self.undirected:
            return self
        known = NOTHING if self.plan is None else self.plan.known
        essential = essential_graph({v: self.parents(v) for v in self.nodes}, knowledge=known)
        directed, undirected = essential.edges_among(self.nodes)
        return replace(self, directed=directed, undirected=undirected, _graph=essential)

    def __str__(self) -> str:
        return graph_as_text(self)

    def listed(self) -> str:
        """List the edges, one in a line."""
        return edges_as_text(self)

    def __getstate__(self) -> dict[str, Any]:
        plan = None if self.plan is None else self.plan.if_portable()
        return {**vars(self), "plan": plan, "_study": None, "_asks": None, "_around": {}}

    def __repr__(self) -> str:
        edges = f"{len(self.directed)} directed, {len(self.undirected)} undirected edges"
        return f"CausalGraph({len(self.nodes)} nodes, {edges}, method={self.method!r})"

    def _repr_html_(self) -> str:
        return showing.artist().note_graph(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types, the evidence for every edge included."""
        return graph_as_dict(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_dot(self) -> str:
        """Return the picture in the DOT language; edges without direction have no arrow head, known ones are dashed."""
        from elcs.answers.export import to_dot

        return to_dot(dict.fromkeys(self.nodes, ""), self.directed, self.undirected, self.from_knowledge)

    def plot(self, ax: Axes | None = None, *, stability: GraphStability | None = None) -> Axes:
        """Draw the whole graph; needs matplotlib (``pip install "elcs[plot]"``).

        Causes are above their effects. An edge without direction has no arrow head and is dotted. The stronger the
        association, the wider the line.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure, as large as the picture needs.
        stability : GraphStability, optional
            How often each edge comes back; those that do so in fewer than half of the half-samples are pale.

        Examples
        --------
        >>> import elcs
        >>> from matplotlib.figure import Figure
        >>> ax = elcs.learn_graph(elcs.data.SAMPLE).plot(Figure().subplots())
        >>> "satisfaction" in [text.get_text() for text in ax.texts]
        True
        """
        return showing.artist().plot_graph(self, ax, stability)

    def to_html(self, *, stability: GraphStability | None = None) -> str:
        """Return a self-contained HTML page: the graph to walk through, the evidence for every edge, the data, the run.

        Examples
        --------
        >>> import elcs
        >>> "<title>10 variables, 9 edges – elcs</title>" in elcs.learn_graph(elcs.data.SAMPLE).to_html()
        True
        """
        return showing.artist().graph_page(self, stability)

    def save_html(self, path: str | PathLike[str], *, stability: GraphStability | None = None) -> None:
        """Write `to_html` to a file."""
        write_file(path, self.to_html(stability=stability))
