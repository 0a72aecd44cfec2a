"""What surrounds a variable: who is what to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from elcs.answers.roles import Role

if TYPE_CHECKING:
    import networkx as nx

    from elcs.answers.export import Undirected

__all__ = ["Surroundings"]


@dataclass(frozen=True, repr=False)
class Surroundings:
    """The variables around a target, and what each is to it; `MarkovBlanket` says what the attributes are.

    Examples
    --------
    >>> found = Surroundings("wet", "by hand", parents=("rain",), children=("slippery",))
    >>> found.roles
    {'rain': 'parent', 'slippery': 'child'}
    """

    target: str
    method: str
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    undirected: tuple[str, ...] = ()
    spouses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    members: tuple[str, ...] = ()

    @property
    def neighbours(self) -> tuple[str, ...]:
        """Parents, children and undirected neighbours."""
        return self.parents + self.children + self.undirected

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
        from elcs.answers.export import to_digraph

        roles = {self.target: "target", **{x: role for x, role in self.roles.items() if role != "member"}}
        if undirected == "drop":
            roles = {x: role for x, role in roles.items() if role != "undirected"}
        return to_digraph(roles, self._arrows, [(self.target, x) for x in self.undirected], undirected)

    def to_gml(self, *, undirected: Undirected = "error") -> str:
        """Return the graph in GML; takes what `to_networkx` takes."""
        from elcs.answers.export import to_gml

        return to_gml(self.to_networkx(undirected=undirected))
