"""Knowledge as people write it down, as part of a plan, and about columns that a table has or has not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import elcs
from elcs.study.known import parse_tetrad, understood

KNOWN = elcs.Knowledge(
    tiers=[["age", "region"], ["contract"], ["churn"]],
    required=[("contract", "churn")],
    forbidden=[("age", "churn")],
    exogenous=["price_rise"],
    outcomes=["churn"],
    closed=[1],
)
TOML = """
# What we know about our customers.
tiers = [["age", "region"], ["contract"], ["churn"]]
closed = [1]
required = [["contract", "churn"]]
forbidden = [["age", "churn"]]
exogenous = ["price_rise"]
outcomes = ["churn"]
"""
TETRAD = """/knowledge
addtemporal

1* age region
3 contract  // a comment
4 "churn"

forbiddirect
age churn

requiredirect
contract churn
"""


def test_all_forms_say_the_same(tmp_path: Path) -> None:
    toml, tetrad = tmp_path / "known.toml", tmp_path / "known.txt"
    toml.write_text(TOML)
    tetrad.write_text(TETRAD)
    assert understood(KNOWN) is KNOWN
    assert understood(KNOWN.to_dict()) == understood(toml) == understood(str(toml)) == KNOWN
    in_tetrad = elcs.Knowledge(KNOWN.tiers, KNOWN.required, KNOWN.forbidden, closed=[1])
    assert understood(tetrad) == in_tetrad
    answers = [elcs.learn(elcs.data.SAMPLE, "churn", knowledge=x).to_dict() for x in (KNOWN, KNOWN.to_dict(), toml)]
    assert all(answer["evidence"] == answers[0]["evidence"] for answer in answers)


def test_a_single_tier_says_nothing_and_is_refused(tmp_path: Path) -> None:
    toml, tetrad = tmp_path / "known.toml", tmp_path / "known.txt"
    toml.write_text('tiers = [["age", "churn"]]\n')
    tetrad.write_text("/knowledge\naddtemporal\n1 age churn\n\nforbiddirect\nage churn\n")
    said = {"tiers": [["age", "churn"]]}
    for known in (said, {**said, "exogenous": ["age"]}, elcs.Knowledge(tiers=[["age", "churn"]]), toml):
        with pytest.raises(elcs.KnowledgeError, match="only one tier, age, churn, and so says nothing; give two"):
            elcs.learn(elcs.data.SAMPLE, "churn", knowledge=known)
    assert understood({**said, "closed": [1]}).closed == (1,)
    assert understood(tetrad) == elcs.Knowledge(forbidden=[("age", "churn")])  # a program may write a single tier


def test_groups_and_names_with_spaces_in_a_file_of_tetrad() -> None:
    known = parse_tetrad('forbiddengroup\na "b c"\nd e\nrequiredgroup\nx\ny z\n')
    assert known.forbidden == (("a", "d"), ("a", "e"), ("b c", "d"), ("b c", "e"))
    assert known.required == (("x", "y"), ("x", "z"))
    assert parse_tetrad("/knowledge\naddtemporal\n\nforbiddirect\n\nrequiredirect\n") == elcs.Knowledge()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tiers = [", "neither TOML nor a knowledge file of Tetrad"),
        ("order = []", "knowledge has no order"),
        ("/knowledge\naddtemporal\n0 a b", "line 3: a line of addtemporal begins with the number of a tier"),
        ("/knowledge\naddtemporal\n1- a b", "line 3: .* '1-' is not understood"),
        ("/knowledge\nforbiddirect\na b c", "line 3: expected two names, a cause and an effect, not 'a b c'"),
        ("/knowledge\nnonsense", "line 2: expected one of addtemporal, forbiddirect"),
        (
            "exogenous = ['b']\nrequired = [['a', 'b']]",
            "known.toml: these statements contradict each other: a causes b; ",
        ),
    ],
)
def test_a_file_that_says_nothing_sensible_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "known.toml"
    file.write_text(text)
    with pytest.raises(elcs.KnowledgeError, match=message):
        elcs.Plan(knowledge=file)


@pytest.mark.parametrize("what", [5, [("a", "b")], object()])
def test_what_is_no_knowledge_is_refused(what: Any, tmp_path: Path) -> None:
    with pytest.raises(
        elcs.KnowledgeError, match="knowledge must be an elcs.Knowledge, a mapping or the name of a file"
    ):
        elcs.learn(elcs.data.SAMPLE, "churn", knowledge=what)
    with pytest.raises(elcs.KnowledgeError, match="cannot read the knowledge file .*nowhere"):
        elcs.learn(elcs.data.SAMPLE, "churn", knowledge=tmp_path / "nowhere")


def test_a_plan_keeps_it() -> None:
    plan = elcs.Plan("elcs-exact", knowledge=KNOWN)
    assert elcs.Plan.from_json(plan.to_json()) == plan
    assert plan.known == KNOWN
    assert "known: age, region < contract < churn; no arrows within tier 1" in str(plan)
    assert elcs.Plan(knowledge={}) == elcs.Plan(knowledge=elcs.Knowledge()) == elcs.Plan()
    assert elcs.Plan().to_dict()["knowledge"] is None


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    answers = []
    for text in ('exogenous = ["age"]', 'outcomes = ["age"]'):
        file.write_text(text)
        answers.append(elcs.learn(elcs.data.SAMPLE, "age", knowledge=str(file)))
    assert answers[0].children == answers[1].parents == ("contract",)


def test_unknown_columns_are_refused_with_a_suggestion() -> None:
    message = "something is said about 'chrun', but there is no column 'chrun'; did you mean 'churn'"
    for data in (elcs.data.SAMPLE, elcs.G2(elcs.data.SAMPLE), elcs.Study.of(elcs.data.SAMPLE, elcs.Plan())):
        with pytest.raises(elcs.KnowledgeError, match=message):
            elcs.learn(data, "age", knowledge={"outcomes": ["chrun"]})
    with pytest.raises(elcs.KnowledgeError, match=message):
        elcs.learn_graph(elcs.data.SAMPLE, knowledge={"required": [("age", "chrun")]})
    with pytest.raises(elcs.KnowledgeError, match=message):
        elcs.compare(elcs.data.SAMPLE, "age", knowledge={"required": [("age", "chrun")]})


def test_columns_that_were_left_out_do_no_harm() -> None:
    table = {"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25, "same": ["x"] * 100, "n": [1] * 100}
    known = {"tiers": [["a", "same"], ["b"]], "required": [["same", "b"]], "outcomes": ["n"]}
    with pytest.warns(elcs.DataWarning, match="left out columns"):
        found = elcs.learn(table, "b", weights="n", knowledge=known)
    assert found.complete
    table.pop("same")
    readings: list[Any] = [{"drop": ["n"]}, {"columns": ["a", "b"]}]
    for reading in readings:
        assert elcs.learn(table, "b", knowledge={"outcomes": ["n"]}, **reading).complete


def test_the_other_questions_take_it() -> None:
    known = {"exogenous": ["age"]}
    stable = elcs.stability(elcs.data.SAMPLE, "contract", n_samples=4, knowledge=known)
    assert stable.shares["age"].parent == 1.0
    assert elcs.learn(elcs.data.SAMPLE, "contract", knowledge=known).stability(4, n_jobs=2).shares["age"].parent == 1.0
    found = elcs.compare(elcs.data.SAMPLE, "contract", ["elcs-exact", "iamb", "pc-stable"], knowledge=known)
    assert found.roles["age"]["elcs-exact"] == found.roles["age"]["pc-stable"] == "parent"
    one = elcs.learn_graph(elcs.data.SAMPLE, knowledge=known)
    two = elcs.learn_graph(elcs.data.SAMPLE, knowledge=known, n_jobs=2)
    assert one.directed == two.directed
    assert one.from_knowledge == {("age", "contract"): "nothing causes age"}
    assert "  age -> contract (you said: nothing causes age)" in str(one)
    assert one.to_dict()["from_knowledge"] == [{"cause": "age", "effect": "contract", "said": "nothing causes age"}]
    assert '"age" -> "contract" [style=dashed];' in one.to_dot()
    assert one.settings["knowledge"] == "nothing causes age"
