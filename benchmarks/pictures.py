"""How long it takes to lay out and write the picture and the page of a whole graph: python benchmarks/pictures.py."""

from __future__ import annotations

import time
from collections.abc import Callable

import elcs
from elcs.drawing.layers import crossings, downwards, layered, parts
from elcs.drawing.whole import layout_graph


def seconds(work: Callable[[], object], repeat: int = 5) -> float:
    """Return the least CPU time of some tries; the first one also loads what it needs."""
    taken = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    """Measure Alarm, and ten copies of Child."""
    child = elcs.networks.load("child")
    networks = {"Alarm": elcs.networks.load("alarm"), "Child10": elcs.networks.tile(child, 10, random_state=0)}
    for name, network in networks.items():
        whole = elcs.learn_graph(network.sample(5000, random_state=1))
        evidence = seconds(lambda: whole.strengths, 1)
        crossed = 0
        for part in parts(whole.nodes, (*whole.directed, *whole.undirected)):
            inside = [[edge for edge in edges if edge[0] in part] for edges in (whole.directed, whole.undirected)]
            if len(part) > 1:
                crossed += crossings(layered(part, downwards(part, inside[0], [], inside[1])))
        layout, page = seconds(lambda: layout_graph(whole)), seconds(whole.to_html, 2)
        size, edges = len(whole.to_html()) / 1e3, len(whole.directed) + len(whole.undirected)
        print(
            f"{name}: {len(whole.nodes)} columns, {edges} edges, {crossed} crossings; evidence {evidence:.2f} s, ",
            end="",
        )
        print(f"layout {layout:.3f} s, page {page:.2f} s, {size:,.0f} kB")


if __name__ == "__main__":
    main()
