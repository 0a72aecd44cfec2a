"""The Markov blanket of a variable, the reasons for it, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from elcs.answers import showing
from elcs.answers.background import Background
from elcs.answers.evidence import Disagreement, Evidence
from elcs.answers.gathering import gather
from elcs.answers.records import Records
from elcs.answers.roles import Role
from elcs.answers.steady import only_steady
from elcs.answers.surroundings import Surroundings
from elcs.answers.written import as_text, blanket_as_dict
from elcs.data.profile import Profile
from elcs.errors import DataError, ElcsError, unknown_name
from elcs.study import Plan
from elcs.writing import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Self

    from elcs.answers.effects import Effects
    from elcs.answers.stability import Stability


__all__ = ["MarkovBlanket"]


@dataclass(frozen=True, repr=False)
class MarkovBlanket(Surroundings):
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
    def divisible(self) -> bool:
        """Whether the same can be asked about half of the rows."""
        study = None if self._records is None else self._records.study
        return study is not None and study.divisible

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
        from elcs.answers.explanation import Words, explain

        if variable is None:
            return "\n".join(self.explain(x) for x in self.markov_blanket)
        if variable == self.target:
            raise DataError(
                f"{variable!r} is the target of this answer; explain() says what other variables are to it: name one "
                "of them, or none to hear of the whole blanket"
            )
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
        """Return the answer with only those directions that come back in 70 % of the half-samples, and the rest open.

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
        return as_text(self)

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
        return blanket_as_dict(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def to_dot(self) -> str:
        """Return the picture in the DOT language; edges without direction have no arrow head, known ones are dashed."""
        from elcs.answers.export import to_dot

        sides = [(self.target, x) for x in self.undirected]
        return to_dot({self.target: "[penwidth=2]"}, self._arrows, sides, self.from_knowledge)

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
