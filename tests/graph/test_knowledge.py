"""What people know: statements, what they come down to, and the smallest contradiction among them."""

from __future__ import annotations

import pickle
import random
from itertools import chain, combinations, permutations
from typing import Any

import pytest
from making import graph_of

from elcs import Knowledge, KnowledgeError
from elcs.graph.cpdag import cpdag
from elcs.graph.meek import apply_meek_rules
from elcs.graph.pdag import PDAG, Reason
from elcs.graph.rules import KNOWLEDGE, MEEK_4, V_STRUCTURE

FULL = Knowledge(
    tiers=[["age", "sex"], ["contract"], ["churn"]],
    required=[("contract", "churn")],
    forbidden=[("x", "y"), ("y", "x")],
    exogenous=["region"],
    outcomes=["churn"],
    closed=[1],
)


def test_statements_come_down_to_arrows() -> None:
    assert FULL.forbids("churn", "x") == "churn causes nothing"
    assert FULL.forbids("x", "region") == "nothing causes region"
    assert FULL.forbids("contract", "age") == "age comes before contract"
    assert FULL.forbids("x", "y") == "x does not cause y"
    assert FULL.forbids("age", "sex") == "the columns of tier 1 do not cause each other"
    assert FULL.forbids("age", "contract") == FULL.forbids("x", "age") == FULL.forbids("u", "v") == ""
    assert FULL.requires("contract", "churn") == "contract causes churn"
    assert not FULL.requires("churn", "contract")
    assert Knowledge(required=[("a", "b")]).forbids("b", "a") == "a causes b"
    assert FULL.directs("age", "contract") == "age comes before contract"
    assert not FULL.directs("x", "y")
    assert FULL.apart("age", "sex")
    assert FULL.apart("x", "y")
    assert not FULL.apart("age", "contract")
    assert FULL.joined("churn", "contract")


def test_what_is_later_than_both_is_no_part_of_a_set() -> None:
    known = Knowledge(tiers=[["a"], ["b"], ["c"]], exogenous=["e", "f"], outcomes=["o"])
    assert known.later_than_both("c", "a", "b")
    assert not known.later_than_both("b", "a", "b")
    assert not known.later_than_both("b", "a", "c")
    assert not known.later_than_both("u", "a", "b")  # it may come at any time
    assert known.later_than_both("u", "e", "f")
    assert known.later_than_both("b", "a", "e")
    assert known.pool("a", "b", ["c", "u", "o", "e"]) == ["u", "e"]
    assert Knowledge().pool("a", "b", ["c"]) == ["c"]


def test_it_survives_being_written_down() -> None:
    assert Knowledge.from_dict(FULL.to_dict()) == FULL == pickle.loads(pickle.dumps(FULL))
    assert FULL.to_dict()["required"] == [["contract", "churn"]]
    assert eval(repr(FULL), {"Knowledge": Knowledge}) == FULL
    assert not Knowledge()
    assert Knowledge().to_dict() == {}
    assert str(Knowledge(tiers=[["a", "b"], ["c"]], exogenous=["a"])) == "a, b < c; nothing causes a"
    assert hash(FULL) == hash(Knowledge.from_dict(FULL.to_dict()))


def test_what_is_said_about_other_columns_is_left_behind() -> None:
    some = FULL.among(["age", "churn", "x", "region"])
    assert some.to_dict() == {
        "tiers": [["age"], ["churn"]],
        "exogenous": ["region"],
        "outcomes": ["churn"],
        "closed": [1],
    }
    assert FULL.among([*FULL.names, "more"]) is FULL
    assert Knowledge(tiers=[["a"], ["b", "c"]], closed=[2]).among("bc") == Knowledge(tiers=[["b", "c"]], closed=[1])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "a causes b; a does not cause b"),
        ({"required": [("a", "b")], "exogenous": ["b"]}, "a causes b; nothing causes b"),
        ({"required": [("a", "b")], "outcomes": ["a"]}, "a causes b; a causes nothing"),
        ({"required": [("a", "b")], "tiers": [["b"], ["a"]]}, "a causes b; b comes before a"),
        ({"required": [("a", "b")], "tiers": [["b", "a"]], "closed": [1]}, "a causes b; the columns of tier 1 do not"),
        ({"required": [("a", "b"), ("b", "a")]}, "a causes b; b causes a"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "a causes b; b causes c; c causes a"),
        ({"required": [("a", "u"), ("u", "b")], "tiers": [["b"], ["a"]]}, "a causes u; u causes b; b comes before a"),
        ({"tiers": [["a"], ["b"], ["a", "c"]]}, "a is in tier 1; a is in tier 3"),
        ({"required": [("a", "a")]}, "required says that a causes itself"),
        ({"tiers": ["age", "sex"]}, "tiers must be a list, not 'age'"),
        ({"exogenous": "age"}, "exogenous must be a list, not 'age'"),
        ({"exogenous": [1]}, "exogenous must hold names of columns, not 1"),
        ({"outcomes": [["a"]]}, r"outcomes must hold names of columns, not \['a'\]"),
        ({"tiers": [[{"a": 1}]]}, "tiers must hold names of columns, not {'a': 1}"),
        ({"required": [("a", "b", "c")]}, "required must hold pairs of a cause and an effect"),
        ({"forbidden": {"a": "b"}}, "forbidden must be a list"),
        ({"tiers": [["a"]], "closed": [2]}, "closed must hold numbers of tiers, from 1 to 1, not 2"),
        ({"closed": [1]}, "closed names tiers by their numbers, but there are none"),
        ({"required": ["a", "b"]}, "required must hold pairs of a cause and an effect, not 'a'"),
    ],
)
def test_contradictions_and_nonsense_are_refused_in_words(said: dict[str, Any], message: str) -> None:
    with pytest.raises(KnowledgeError, match=message):
        Knowledge(**said)


def test_what_knowledge_does_not_have_is_refused() -> None:
    with pytest.raises(KnowledgeError, match="knowledge has no order; it has tiers, required, forbidden"):
        Knowledge.from_dict({"order": []})


Statement = tuple[str, str, str]


def possible(said: tuple[Statement, ...], names: str) -> bool:
    """Tell whether some order of the names fits statements: all arrows lead forward, and none of them is denied."""
    arrows = {(a, b) for kind, a, b in said if kind == "causes"}
    denied = {(a, b) for kind, a, b in said if kind == "not"}
    denied |= {
        (a, b) for kind, x, _ in said for a, b in permutations(names, 2) if (kind, x) in (("exo", b), ("out", a))
    }
    before = {(a, b) for kind, a, b in said if kind == "before"}
    orders = ({x: i for i, x in enumerate(order)} for order in permutations(names))
    return not arrows & denied and any(all(at[a] < at[b] for a, b in arrows | before) for at in orders)


def test_the_contradiction_told_is_a_smallest_one() -> None:
    rng, names, refused = random.Random(0), "abcd", 0
    pairs = list(permutations(names, 2))
    for _ in range(400):
        tier = {x: rng.choice([0, 0, 1, 2]) for x in names}  # 0: none
        causes, denied = rng.sample(pairs, rng.randint(0, 4)), rng.sample(pairs, rng.randint(0, 2))
        exogenous, outcomes = rng.sample(names, rng.randint(0, 1)), rng.sample(names, rng.randint(0, 1))
        tiers = [[x for x in names if tier[x] == i] for i in (1, 2)]
        said = [("causes", a, b) for a, b in causes] + [("not", a, b) for a, b in denied]
        said += [("exo", x, "") for x in exogenous] + [("out", x, "") for x in outcomes]
        said += [("before", a, b) for a, b in pairs if 0 < tier[a] < tier[b]]
        subsets = chain.from_iterable(combinations(said, size) for size in range(1, len(said) + 1))
        least = next((len(some) for some in subsets if not possible(some, names)), None)
        if least is None:
            Knowledge(tiers, causes, denied, exogenous, outcomes)
            continue
        with pytest.raises(KnowledgeError) as refusal:
            Knowledge(tiers, causes, denied, exogenous, outcomes)
        assert str(refusal.value).count(";") + 1 == least, (said, str(refusal.value))
        refused += 1
    assert 50 < refused < 350


def test_an_edge_follows_knowledge_as_soon_as_it_is_found() -> None:
    known = Knowledge(exogenous=["age"], required=[("a", "b")], forbidden=[("c", "d"), ("d", "c")])
    graph = PDAG(knowledge=known)
    assert graph.children("a") == ["b"]
    graph.add_edge("churn", "age")
    graph.add_edge("c", "d")
    assert graph.reasons["age", "churn"] == Reason(KNOWLEDGE, said="nothing causes age")
    assert not graph.adjacent("c", "d")
    graph.orient("churn", "age", Reason(V_STRUCTURE, ("x",)))
    assert [(c.edge, c.first.rule, c.second.rule) for c in graph.conflicts] == [
        (("age", "churn"), KNOWLEDGE, V_STRUCTURE)
    ]
    assert graph.denies("churn", "age")


def test_rule_4() -> None:
    """a -> b -> d is known, and c is connected with all three: c -> d, or else there is a circle or a v-structure."""
    skeleton = graph_of("a>b b>d a>c c>b c>d")
    assert cpdag(skeleton).undirected_edges()
    found = cpdag(skeleton, Knowledge(required=[("a", "b"), ("b", "d")]))
    assert found.reasons["c", "d"].rule == MEEK_4
    assert found.reasons["c", "d"].premises == (("a", "b"), ("b", "d"))
    assert "a" in found.undirected("c")
    graph = PDAG()
    for cause, effect in skeleton.edges:
        graph.add_edge(cause, effect)
    graph.settled.update(skeleton)
    apply_meek_rules(graph)
    assert not graph.reasons
