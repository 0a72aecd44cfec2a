"""The package is built as docs/architecture.md says: folders in layers, no cycles, no wide functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "elcs"
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def layers() -> list[set[str]]:
    """Read the layers, the lowest last, from the table in the document."""
    table = (ROOT / "docs" / "architecture.md").read_text().split("| layer |")[1].split("\n\n")[0]
    return [set(re.findall(r"`(\w+)(?:/|\.py)`", row.split("|")[2])) for row in table.splitlines()[2:]]


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield all modules that are imported, in functions too; what only type checkers read does not count."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else node.module for name in inner)
        yield from imported(node)


def doors() -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for module, path in MODULES.items():
        found = imported(ast.parse(path.read_text(encoding="utf-8")))
        graph.add_edges_from((module, other) for other in found if other in MODULES and other != module)
    return graph


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "elcs"


def test_every_room_has_its_place_in_one_layer() -> None:
    named = [name for layer in layers() for name in layer]
    assert sorted(named) == sorted({room(module) for module in MODULES} - {"elcs"})


def test_imports_lead_downwards() -> None:
    level = {name: i for i, layer in enumerate(layers()) for name in layer}
    wrong = [
        f"{module} imports {other}"
        for module, other in doors().edges
        if room(module) != room(other)
        and "elcs" not in (room(module), room(other))
        and level[room(module)] >= level[room(other)]
    ]
    assert not wrong


def test_modules_import_each_other_in_no_circle() -> None:
    circles = [part for part in nx.strongly_connected_components(doors()) if len(part) > 1]
    assert not circles


def test_learners_do_not_know_tables() -> None:
    known = {other for module, other in doors().edges if room(module) == "learners"}
    assert {room(name) for name in known} == {
        "learners",
        "graph",
        "independence",
        "scores",
        "engines",
        "processes",
        "errors",
        "markup",
    }
    assert {name for name in known if room(name) == "engines"} == {"elcs.engines"}  # for `Numbers`


@pytest.mark.parametrize("module", [name for name in MODULES if room(name) != "cli"])
def test_functions_take_few_parameters(module: str) -> None:
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            taken = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            assert len([name for name in taken if name not in ("self", "cls")]) <= 8, node.name


def test_only_the_kernel_knows_which_test_is_which() -> None:
    for module, path in MODULES.items():
        assert not re.search(r"isinstance\(\w+, \(?(G2|Chi2)\b", path.read_text(encoding="utf-8")), module
