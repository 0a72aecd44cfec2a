"""PSL, any part of a Bayesian network: the edges up to some steps away from a variable, blanket by blanket outwards.

Z. Ling, K. Yu, H. Wang, L. Liu and J. Li (2021), Any part of Bayesian network structure learning, arXiv 2103.13810,
where it is called APSL. Local learners that are simply applied further out orient edges wrongly, or late, because a
v-structure may be seen only from a variable that has not been looked at. So in the blanket of each variable X both
kinds of v-structures are looked for: *colliders*, X -> Y <- Z with Z a spouse of X, and *non-colliders*, Y -> X <- Z
with Y and Z two neighbours of X. Meek's rules do the rest. Blankets are learnt in the order in which their variables
are reached, until all edges of the part have a direction, or until there is nobody left to reach.

The paper gives the part by a number of layers. Here `depth` is that number: all edges among the variables up to so many
steps from the target; without it, the edges at the target itself. Blankets are those of EMB-exact.

Guarantee: exactly these edges of the essential graph (CPDAG), given faithfulness, no hidden common causes, correct
tests and no cap on the conditioning sets. A cap or a finite sample voids it.
Cost: that of EMB-exact for each blanket learnt. As the search goes outwards in all directions, an edge that no
observation can direct makes it learn the blankets of everything that is connected with the target; `elcs-exact` with
the same `depth` follows edges without direction alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import combinations

from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import V_STRUCTURE
from elcs.independence.base import CITest
from elcs.learners.blankets.emb_exact import emb_exact
from elcs.learners.notes import Blanket, Local, sizes_up_to
from elcs.learners.steps.arrows import orient_around

__all__ = ["psl"]


def psl(
    ci: CITest,
    notes: Local,
    *,
    max_cond_size: int | None = 3,
    depth: int | None = None,
    blanket: Callable[..., None] = emb_exact,
) -> None:
    """Learn the edges around ``notes.target`` and their directions.

    Parameters
    ----------
    ci : CITest
        What answers the questions.
    notes : Local
        What to fill in.
    max_cond_size : int or None
        The largest conditioning set of a subset search.
    depth : int, optional
        How many steps away from the target the part reaches; by default it is the edges at the target alone.
    blanket : callable
        The blanket learner.
    """
    graph = notes.graph
    waiting, seen = deque([notes.target]), {notes.target}
    while waiting:
        x = waiting.popleft()
        found = notes.open(x)
        blanket(ci, found, max_cond_size=max_cond_size)
        find_non_colliders(ci, found, max_cond_size)
        orient_around(graph, found)
        apply_meek_rules(graph)
        if is_learnt(graph, notes.target, depth):
            return
        waiting.extend(y for y in found.pc if y not in seen)
        seen.update(found.pc)


def find_non_colliders(ci: CITest, found: Blanket, max_cond_size: int | None) -> None:
    """Note two neighbours as parents that a set separates, but not once the variable is held fixed as well."""
    x = found.target
    for y, z in combinations(found.pc, 2):
        open_ends = [v for v in (y, z) if v in found.undirected]
        if not open_ends or y in found.children or z in found.children:
            continue
        among = found.knowledge.pool(y, z, [v for v in (*found.pc, *found.all_spouses) if v not in (y, z)])
        apart = ci.separator(y, z, among, sizes=sizes_up_to(max_cond_size, among))
        if apart is None or not ci.association(y, z, (*apart, x)):
            continue
        tests = (y, z, apart), (y, z, (*apart, x))
        for v in open_ends:
            found.parents[v] = Reason(V_STRUCTURE, (z if v == y else y,), tests)


def is_learnt(graph: PDAG, target: str, depth: int | None) -> bool:
    """Tell whether all edges of the part are known and have a direction."""
    if depth is None:
        return not graph.undirected(target)
    part = graph.within(target, depth)
    return graph.settled.issuperset(part) and not any(y in part for x in part for y in graph.undirected(x))
