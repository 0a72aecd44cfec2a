"""G2 and chi-squared, through the verbs of CITest and against scipy."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import elcs

Lambda = Literal["log-likelihood", "pearson"]


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    """Make a chain a -> b -> c with a common effect d of b and e, 2,000 rows."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 2000)
    b = np.where(rng.random(2000) < 0.7, a, rng.integers(0, 3, 2000))
    c = np.where(rng.random(2000) < 0.7, b, rng.integers(0, 3, 2000))
    e = rng.integers(0, 2, 2000)
    d = np.where(rng.random(2000) < 0.8, (b + e) % 2, rng.integers(0, 2, 2000))
    return {"a": a, "b": b, "c": c, "d": d, "e": e}


def scipy_test(x: np.ndarray, y: np.ndarray, stratum: np.ndarray, lambda_: Lambda) -> tuple[float, int]:
    """Sum scipy's test over the strata, rows and columns that do not occur left out."""
    statistic, dof = 0.0, 0
    for s in np.unique(stratum):
        inside = stratum == s
        counts = np.zeros((x.max() + 1, y.max() + 1))
        np.add.at(counts, (x[inside], y[inside]), 1)
        counts = counts[counts.sum(1) > 0][:, counts.sum(0) > 0]
        result = chi2_contingency(counts, lambda_=lambda_, correction=False)
        statistic, dof = statistic + result.statistic, dof + result.dof
    return statistic, dof


@pytest.mark.parametrize(("test", "lambda_"), [(elcs.G2, "log-likelihood"), (elcs.Chi2, "pearson")])
def test_p_values_agree_with_scipy(test: type[elcs.G2], lambda_: Lambda) -> None:
    from scipy.stats import chi2

    rng = np.random.default_rng(5)
    for _ in range(1000):
        n = int(rng.integers(20, 2000))
        levels = rng.integers(2, 7, size=3)
        x, y, z = ((r * rng.random(n) ** rng.uniform(0.5, 3)).astype(int) for r in levels)
        if rng.random() < 0.5:
            y = np.where(rng.random(n) < 0.1, x % levels[1], y)
        if len({0, *x}) < 2 or len({0, *y}) < 2 or len({0, *z}) < 2:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", elcs.DataWarning)
            ci = test({"x": x, "y": y, "z": z})
        for given, stratum in (((), np.zeros(n, dtype=int)), (("z",), z)):
            statistic, dof = scipy_test(x, y, stratum, lambda_)
            found = ci.test("x", "y", given)
            assert found.dof == dof
            assert found.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-9)
            assert found.p_value == pytest.approx(float(chi2.sf(statistic, dof)) if dof else 1.0, rel=0, abs=1e-9)


@pytest.mark.parametrize("engine", ["memory", "reference"])
def test_finds_the_structure(table: dict[str, np.ndarray], engine: str) -> None:
    ci = elcs.G2(table, engine=engine)  # type: ignore[arg-type]
    assert not ci.independent("a", "c")
    assert ci.independent("a", "c", ["b"])
    assert ci.independent("b", "e")
    assert not ci.independent("b", "e", ["d"])
    assert ci.separator("a", "c", ["e", "d", "b"], sizes=range(4)) == ("b",)
    assert ci.separator("a", "c", ["b", "e"], sizes=range(1, 3), containing=["e"]) == ("b", "e")
    assert ci.separator("a", "b", ["c", "d", "e"], sizes=range(4)) is None
    assert ci.association("a", "b") > ci.association("a", "c") > 0
    assert ci.association("a", "c", ["b"]) == 0


def test_verbs_agree_and_count(table: dict[str, np.ndarray]) -> None:
    ci = elcs.G2(table)
    queries: list[tuple[str, str, tuple[str, ...]]] = [
        ("a", "b", ()),
        ("a", "c", ("b",)),
        ("d", "e", ("a", "b")),
    ]
    many = ci.test_many(queries)
    assert (ci.n_asked, ci.n_computed) == (3, 3)
    assert many == [ci.test(*query) for query in queries]
    assert [result.independent for result in many] == [ci.independent(*query) for query in queries]
    assert (ci.n_asked, ci.n_computed) == (9, 3)
    assert ci.test_many([]) == []


@pytest.mark.parametrize("engine", ["memory", "reference"])
def test_one_variable_with_each_of_many(table: dict[str, np.ndarray], engine: Literal["memory", "reference"]) -> None:
    wide = np.arange(len(table["a"])) % 90  # too many levels to be tested with others
    ci = elcs.G2({**table, "wide": wide}, engine=engine, rows_per_cell=10)
    others = [x for x in ci.variables if x != "a"]
    found = ci.test_each("a", others)
    assert ci.n_asked == len(others)
    assert dict(found) == {x: ci.test("a", x) for x in others}
    assert list(found) == others
    assert not found["wide"].reliable
    assert found.dependent == {x: s for x in others if (s := ci.association("a", x))}
    assert dict(ci.test_each("a", [])) == {}
    with pytest.raises(elcs.ElcsError, match="'aa'"):
        ci.test_each("a", ["b", "aa"])
    with pytest.raises(elcs.DataError, match="'a' and 'a'.*twice"):
        ci.test_each("a", ["b", "a"])


def test_unreliable_tests_never_separate() -> None:
    rng = np.random.default_rng(6)
    ci = elcs.G2({name: rng.integers(0, 3, 60) for name in "xyz"})
    assert ci.test("x", "y").reliable
    result = ci.test("x", "y", ["z"])
    assert not result.reliable
    assert not result.independent
    assert 0 <= result.p_value <= 1
    assert not ci.independent("x", "y", ["z"])
    assert ci.separator("x", "y", ["z"], sizes=[1]) is None
    assert ci.association("x", "y", ["z"]) == 0
    assert elcs.G2(ci.data, rows_per_cell=2).test("x", "y", ["z"]).reliable


def test_nothing_to_test_is_independence() -> None:
    # Within each level of z, y does not vary.
    ci = elcs.G2({"x": [0, 1] * 100, "y": [0, 0, 1, 1] * 50, "z": [0, 0, 1, 1] * 50})
    result = ci.test("x", "y", ["z"])
    assert result[:4] == (0.0, 0, True, True)
    assert result.n_rows == 200
    assert result.p_value == 1.0


def test_aggregated_tables(table: dict[str, np.ndarray]) -> None:
    rows, counts = np.unique(np.column_stack(list(table.values())), axis=0, return_counts=True)
    columns = dict(zip(table, rows.T, strict=True))
    whole = elcs.G2(table)
    summed = elcs.G2(elcs.Dataset.from_any({**columns, "count": counts}, weights="count"))
    assert summed.variables == whole.variables
    assert summed.test("a", "c", ["b"]) == whole.test("a", "c", ["b"])


def test_order_of_columns_and_arguments_changes_nothing(table: dict[str, np.ndarray]) -> None:
    for test in (elcs.G2, elcs.Chi2):
        one, other = test(table), test(dict(reversed(table.items())))
        for query in [("a", "c", ["b", "e"]), ("d", "e", ["b"]), ("a", "b", [])]:
            x, y, given = query
            assert one.test(x, y, given) == one.test(y, x, given[::-1])
            assert one.test(x, y, given).statistic == pytest.approx(other.test(x, y, given).statistic, rel=1e-12)


@pytest.mark.parametrize("engine", ["memory", "reference"])
def test_questions_that_make_no_sense(table: dict[str, np.ndarray], engine: str) -> None:
    ci = elcs.G2(table, engine=engine)  # type: ignore[arg-type]
    with pytest.raises(elcs.DataError, match="no variable 'aa'; did you mean 'a'"):
        ci.test("aa", "b")
    with pytest.raises(elcs.DataError, match="'a' and 'a'.*twice"):
        ci.independent("a", "a")
    with pytest.raises(elcs.DataError, match=r"'a' and 'b' given \['c', 'c'\].*twice"):
        ci.test("a", "b", ["c", "c"])
    with pytest.raises(elcs.DataError, match="twice"):
        ci.separator("a", "b", ["b", "c"], sizes=range(3))
    with pytest.raises(elcs.DataError, match="twice"):
        ci.test_many([("a", "b", ()), ("a", "b", ("a",))])
    ci.limit(tests=1)
    with pytest.raises(elcs.BudgetError):
        ci.test_many([("a", "b", ())] * 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"alpha": 5}, "alpha must lie between 0 and 1"),
        ({"cache_size": -1}, "cache_size"),
        ({"engine": "gpu"}, "engine must be one of memory, reference"),
    ],
)
def test_options_are_checked(table: dict[str, np.ndarray], options: dict[str, object], message: str) -> None:
    with pytest.raises(elcs.ElcsError, match=message):
        elcs.G2(table, **options)  # type: ignore[arg-type]


def test_results_print_well(table: dict[str, np.ndarray]) -> None:
    text = repr(elcs.G2(table).test("a", "b"))
    assert text.startswith("TestResult(statistic=")
    assert "p_value=" in text


@pytest.mark.parametrize("engine", ["memory", "reference"])
@pytest.mark.parametrize("test", [elcs.G2, elcs.Chi2])
def test_a_test_rests_on_the_rows_that_have_its_variables(
    table: dict[str, np.ndarray], test: type[elcs.G2], engine: Literal["memory", "reference"]
) -> None:
    rng = np.random.default_rng(1)
    blank = {name: rng.random(2000) < 0.1 for name in "abcd"}
    gaps = {
        name: [None if name in blank and blank[name][i] else int(v) for i, v in enumerate(column)]
        for name, column in table.items()
    }
    ci = test(gaps, engine=engine)
    questions: list[tuple[str, str, list[str]]] = [("a", "e", ["b"]), ("e", "a", []), ("a", "c", ["b", "d", "e"])]
    questions += [("a", y, ["b"]) for y in "cde"] * 2  # enough alike to share their work
    for (x, y, given), found in zip(questions, ci.test_many(questions), strict=True):
        some = {name: column for name, column in gaps.items() if name in (x, y, *given)}
        expected = test(elcs.Table.from_any(some, missing="drop"), engine=engine).test(x, y, given)
        assert found == ci.test(x, y, given) == expected
        assert found.n_rows == 2000 - np.any([blank[name] for name in some if name != "e"], axis=0).sum()
    assert ci.test("a", "e").n_rows > ci.test("a", "c").n_rows > ci.test("a", "c", ["b"]).n_rows


def test_reliability_counts_the_rows_of_the_test() -> None:
    x, y = [0, 1] * 20, [0, 1, 1, 0] * 10
    whole, gaps = elcs.G2({"x": x, "y": y, "z": y}), elcs.G2({"x": x, "y": [*y[:15], *[None] * 25], "z": y})
    assert whole.test("x", "y").reliable
    assert not gaps.test("x", "y").reliable
    assert gaps.test("x", "z") == whole.test("x", "z")
    assert [r.n_rows for r in gaps.test_many([("x", "y", []), ("x", "z", [])], skip_unreliable=True)] == [15, 40]
