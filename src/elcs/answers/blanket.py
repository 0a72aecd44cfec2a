"""The Markov blanket of a variable, the reasons for it, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from elcs.answers import showing
from elcs.answers.background import Background, background_as_dict
from elcs.answers.evidence import Disagreement, Evidence, gather
from elcs.answers.explanation import Words, explain
from elcs.answers.export import Undirected, to_digraph, to_dot, to_gml
from elcs.answers.records import Records
from elcs.answers.roles import ROLES, Role
from elcs.answers.steady import only_steady, say_steady
from elcs.data.naming import one_line
from elcs.data.profile import Profile
from elcs.errors import ElcsError, unknown_name
from elcs.study import Plan
from elcs.writing import write_file

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes
    from typing_extensions import Self

    from elcs.answers.effects import Effects
    from elcs.answers.stability import Stability


__all__ = ["MarkovBlanket", "knowledge_as_dict", "what_was_asked"]


@dataclass(frozen=True, repr=False)
class MarkovBlanket:
    """The Markov blanket of a variable: given it, no other variable adds information about the target.

    Attributes
    ----------
    target, method : str
        What was asked, and which method answered.
    parents, children : tuple of str
        Direct causes and direct effects.
    undirected : tuple of str
        Neighbours that could be either causes or effects.
    spouses : mapping of str to tuple of str
        For each child, its other direct causes that are not neighbours of the target.
    members : tuple of str
        Members of the blanket whose role the method does not say.
    n_tests, n_computed : int
        How many tests or scores the method asked for, and how many had to be computed.
    seconds : float
        How long it took.
    complete : bool
        False if a limit or an interruption stopped the run; what was settled by then is reported.
    settings : mapping
        The level of significance and the other options of the run.
    plan : Plan or None
        What was asked, so that it can be asked again.
    half_samples : int
        In how many half-samples its directions had to come back often enough (`steady`); 0 if that was not asked for.
    """

    target: str
    method: str
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    undirected: tuple[str, ...] = ()
    spouses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    members: tuple[str, ...] = ()
    n_tests: int = 0
    n_computed: int = 0
    seconds: float = 0.0
    complete: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Plan | None = field(default=None, compare=False)
    half_samples: int = 0
    _records: Records | None = field(default=None, compare=False)

    _settles: ClassVar[bool] = False
    """Whether it says of each neighbour if it is a cause or an effect, or that this cannot be told."""

    @property
    def neighbours(self) -> tuple[str, ...]:
        """Parents, children and undirected neighbours."""
        return self.parents + self.children + self.undirected

    @property
    def divisible(self) -> bool:
        """Whether the same can be asked about half of the rows."""
        study = None if self._records is None else self._records.study
        return study is not None and study.divisible

    @property
    def claims_directions(self) -> bool:
        """Whether any neighbour is said to be a cause or an effect."""
        return bool(self.parents + self.children)

    @property
    def markov_blanket(self) -> tuple[str, ...]:
        """The neighbours, the spouses, and the members whose role is not known."""
        return tuple(self.roles)

    @property
    def roles(self) -> dict[str, Role]:
        """What each member of the Markov blanket is: parent, child, undirected, spouse or member."""
        groups: tuple[tuple[Role, Iterable[str]], ...] = (
            ("parent", self.parents),
            ("child", self.children),
            ("undirected", self.undirected),
            ("spouse", (x for names in self.spouses.values() for x in names)),
            ("member", self.members),
        )
        roles: dict[str, Role] = {}
        for role, names in groups:
            for name in names:
                roles.setdefault(name, role)
        return roles

    @property
    def leanings(self) -> dict[str, Role]:
        """For neighbours of unknown direction, the role that the data lean to, if to any: parent or child."""
        leans = {} if self._records is None else self._records.graph.leanings
        roles: dict[str, Role] = {x: "parent" for x in self.undirected if (x, self.target) in leans}
        return roles | {x: "child" for x in self.undirected if (self.target, x) in leans}

    @cached_property
    def evidence(self) -> Mapping[str, Evidence]:
        """For every variable, what it is to the target and the tests that say so."""
        if self._records is None:
            return {}
        r = self._records
        others = [x for x in r.variables if x != self.target]
        return gather(others, r.notes, r.graph, self.roles, r.cited)

    @property
    def not_tested(self) -> tuple[str, ...]:
        """The variables that could not be tested with the target, because there are too few rows for their levels."""
        tests = {} if self._records is None else self._records.notes.marginal
        return tuple(x for x, test in tests.items() if not test.reliable and x not in self.roles)

    @property
    def statistic(self) -> str:
        """What the statistic of the tests is called."""
        return "statistic" if self._records is None else self._records.statistic

    @property
    def profile(self) -> Profile | None:
        """What the table looked like, if there was one."""
        return None if self._records is None else self._records.profile

    @property
    def background(self) -> Background | None:
        """The table behind the answer and how many of its rows the tests used, if there was a table."""
        return None if self._records is None else self._records.background

    @property
    def conflicts(self) -> tuple[Disagreement, ...]:
        """Rules that contradict each other about an edge at the target."""
        found = (d for e in self.evidence.values() for d in e.disagreements)
        return tuple(found)

    @property
    def from_knowledge(self) -> dict[tuple[str, str], str]:
        """The arrows shown here that somebody said are there or point this way, and the statement that says so."""
        reasons = {} if self._records is None else self._records.graph.reasons
        return {arrow: r.said for arrow in self._arrows if (r := reasons.get(arrow)) is not None and r.said}

    def explain(self, variable: str | None = None) -> str:
        """Say in a few sentences what a variable is to the target, and why; by default, for the whole blanket."""
        if variable is None:
            return "\n".join(self.explain(x) for x in self.markov_blanket)
        if not isinstance(variable, str) or variable not in self.evidence:
            raise unknown_name(variable, self.evidence, what="variable")
        return explain(
            self.evidence[variable],
            complete=self.complete,
            settles=self._settles,
            words=Words(self.statistic, "" if self._records is None else self._records.untestable, self.profile),
        )

    def stability(
        self,
        n_samples: int = 100,
        *,
        n_jobs: int = 1,
        random_state: int = 0,
        timeout: float | None = None,
        report: Callable[[int], None] = lambda n_done: None,
    ) -> Stability:
        """Count how often each finding comes back when only half of the observations are used.

        Takes what `elcs.stability` takes; the table and the plan are those of this run.

        Examples
        --------
        >>> import elcs
        >>> result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
        >>> result.stability(20).shares["churn"].child
        1.0
        """
        from elcs.answers.stability import resample

        if self._records is None or self._records.study is None:
            raise ElcsError(
                "this result does not know the table it was made from: it was loaded from a file, or there was no "
                "table; use elcs.stability(table, target, ...) instead"
            )
        study = self._records.study
        return resample(
            study.under(replace(study.plan, timeout=timeout, max_tests=None)),
            self.target,
            self._records.ask,
            n_samples=n_samples,
            n_jobs=n_jobs,
            random_state=random_state,
            report=report,
        )

    def steady(self, stability: Stability) -> Self:
        """Return the answer with only those directions that come back in 70 % of the half-samples; the others lean.

        It is for methods by tests alone. On the command line they are checked in this way within a second. Fewer than
        20 half-samples are too few to tell; the answer then stays as it is, and `half_samples` is 0.

        Examples
        --------
        >>> import elcs
        >>> result = elcs.learn(elcs.data.SAMPLE, "satisfaction", method="elcs-exact")
        >>> result.steady(result.stability(20)).parents == result.parents
        True
        """
        return only_steady(self, stability)

    def __str__(self) -> str:
        spouses = (f"{', '.join(names)} (of {child})" for child, names in self.spouses.items())
        leanings = self.leanings
        rows = {
            "direct causes": ", ".join(self.parents),
            "direct effects": ", ".join(self.children),
            "cause or effect" if self.complete else "not settled": ", ".join(
                f"{x} (leans to {ROLES[leanings[x]].short})" if x in leanings else x for x in self.undirected
            ),
            "other causes": "; ".join(spouses),
        }
        if self.members:
            rows["blanket"] = ", ".join(self.members)
        if self.from_knowledge:
            rows["you said"] = "; ".join(dict.fromkeys(self.from_knowledge.values()))
        if self.not_tested:
            more = f" and {len(self.not_tested) - 10} more" if len(self.not_tested) > 10 else ""
            rows["not tested"] = f"{', '.join(self.not_tested[:10])}{more} (too few rows)"
        if self.profile is not None and self.profile.dropped:
            rows["left out"] = "; ".join(f"{name} ({why})" for name, why in self.profile.dropped)
        asked = what_was_asked(self.settings)
        cost = f"{self.n_tests:,} {asked} ({self.n_computed:,} computed), {self.seconds * 1e3:,.1f} ms"
        lines = [
            f"{self.target} ({self.method})",
            *(f"  {label:<16} {text or '-'}" for label, text in rows.items()),
        ]
        if self.half_samples:
            lines.append(f"  {say_steady(self.half_samples)}")
        lines += [] if self.background is None else [f"  {line}" for line in self.background.say(self.settings)]
        lines.append(f"  {cost}" + ("" if self.complete else "; stopped before the end"))
        return "\n".join(map(one_line, lines))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "plan": None if self.plan is None else self.plan.if_portable()}

    def __repr__(self) -> str:
        names = ("target", "parents", "children", "undirected")
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({told})"

    def _repr_html_(self) -> str:
        return showing.artist().note_local(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types, evidence included."""
        return {
            "target": self.target,
            "method": self.method,
            "parents": list(self.parents),
            "children": list(self.children),
            "undirected": list(self.undirected),
            "leanings": dict(self.leanings),
            "spouses": {child: list(names) for child, names in self.spouses.items()},
            "markov_blanket": list(self.markov_blanket),
            "complete": self.complete,
            "n_tests": self.n_tests,
            "n_computed": self.n_computed,
            "seconds": self.seconds,
            "half_samples": self.half_samples,
            "settings": dict(self.settings),
            **knowledge_as_dict(self.plan, self.from_knowledge),
            **background_as_dict(self.background, self.settings),
            "not_tested": list(self.not_tested),
            "left_out": dict(self.profile.dropped) if self.profile is not None else {},
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
            "evidence": {x: evidence.to_dict() for x, evidence in self.evidence.items()},
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    @property
    def _arrows(self) -> list[tuple[str, str]]:
        """Cause and effect, for each edge that has a direction."""
        arrows = [(x, self.target) for x in self.parents] + [(self.target, x) for x in self.children]
        return arrows + [(x, child) for child, names in self.spouses.items() for x in names]

    def to_networkx(self, *, undirected: Undirected = "error") -> nx.DiGraph[str]:
        """Return the target, its neighbours and the other causes of its effects as a directed graph.

        Parameters
        ----------
        undirected : {"error", "both", "drop"}
            What to do with edges without direction: refuse, because the result would not be a directed acyclic graph;
            give an arc each way, with the attribute ``directed=False``; or leave them out.
        """
        roles = {self.target: "target", **{x: role for x, role in self.roles.items() if role != "member"}}
        if undirected == "drop":
            roles = {x: role for x, role in roles.items() if role != "undirected"}
        return to_digraph(roles, self._arrows, [(self.target, x) for x in self.undirected], undirected)

    def to_dot(self) -> str:
        """Return the picture in the DOT language; edges without direction have no arrow head, known ones are dashed."""
        sides = [(self.target, x) for x in self.undirected]
        return to_dot({self.target: "[penwidth=2]"}, self._arrows, sides, self.from_knowledge)

    def to_gml(self, *, undirected: Undirected = "error") -> str:
        """Return the graph in GML; takes what `to_networkx` takes."""
        return to_gml(self.to_networkx(undirected=undirected))

    def plot(self, ax: Axes | None = None, *, stability: Stability | None = None) -> Axes:
        """Draw the surroundings of the target; needs matplotlib (``pip install "elcs[plot]"``).

        Causes are above the target, effects below it, neighbours of unknown direction at its sides, spouses below the
        effects they share. The stronger the association with the target, the wider the line.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure, as large as the picture needs.
        stability : Stability, optional
            How often each variable comes back in the role it has here, to be shown in its box.

        Returns
        -------
        matplotlib Axes
            The axes that were drawn on.

        Examples
        --------
        >>> import elcs
        >>> from matplotlib.figure import Figure
        >>> ax = elcs.learn(elcs.data.SAMPLE, "churn").plot(Figure().subplots())
        >>> "satisfaction" in [text.get_text() for text in ax.texts]
        True
        """
        return showing.artist().plot_local(self, ax, stability)

    def to_html(self, *, stability: Stability | None = None, effects: Effects | None = None) -> str:
        """Return a self-contained HTML page: the picture, the evidence, the data and the run.

        With `stability`, it also shows how often each variable comes back in the role it has here; with `effects`, what
        setting the causes would do.

        Examples
        --------
        >>> import elcs
        >>> page = elcs.learn(elcs.data.SAMPLE, "churn").to_html()
        >>> "<title>churn – elcs</title>" in page
        True
        """
        return showing.artist().page(self, stability, effects)

    def save_html(
        self, path: str | PathLike[str], *, stability: Stability | None = None, effects: Effects | None = None
    ) -> None:
        """Write `to_html` to a file."""
        write_file(path, self.to_html(stability=stability, effects=effects))


def knowledge_as_dict(plan: Plan | None, arrows: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Return, in plain types, what was known beforehand, and the arrows that come from it."""
    told = [{"cause": cause, "effect": effect, "said": said} for (cause, effect), said in arrows.items()]
    return {"knowledge": None if plan is None else plan.known.to_dict() or None, "from_knowledge": told}


def what_was_asked(settings: Mapping[str, Any]) -> str:
    """Say whether a run with these settings asked for tests, scores or both; one that did neither evaluated a fit."""
    asked = [what for what, setting in (("tests", "ci_test"), ("scores", "score")) if setting in settings]
    return " and ".join(asked) or "evaluations"
