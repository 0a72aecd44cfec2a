"""The feature selector, as part of scikit-learn."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import elcs
from elcs.sklearn import MarkovBlanketSelector


@pytest.mark.filterwarnings("ignore:no test of:elcs.DataWarning", "ignore:No features were selected")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [MarkovBlanketSelector(), MarkovBlanketSelector(method="s2tmb")]
)
def test_what_scikit_learn_expects(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def customers() -> tuple[pd.DataFrame, pd.Series]:
    table = pd.read_csv(elcs.data.SAMPLE)
    return table.drop(columns="satisfaction"), table["satisfaction"]


def test_it_keeps_the_blanket(customers: tuple[pd.DataFrame, pd.Series]) -> None:
    features, y = customers
    selector = MarkovBlanketSelector().fit(features, y)
    expected = elcs.blanket(elcs.data.SAMPLE, "satisfaction")
    assert set(features.columns[selector.support_]) == set(expected.markov_blanket)
    assert selector.result_.markov_blanket == expected.markov_blanket
    assert selector.result_.target == "satisfaction"
    assert list(selector.feature_names_in_) == list(features.columns)
    assert selector.n_features_in_ == len(features.columns)
    assert list(selector.get_feature_names_out()) == list(features.columns[selector.support_])


def test_every_kind_of_table(customers: tuple[pd.DataFrame, pd.Series]) -> None:
    features, y = customers
    expected = MarkovBlanketSelector().fit(features, y).support_
    for table in (features.astype("category"), features.to_numpy(), pl.from_pandas(features), features.values.tolist()):
        assert np.array_equal(MarkovBlanketSelector().fit(table, y).support_, expected)
    numbers = OrdinalEncoder().fit_transform(features)
    selector = MarkovBlanketSelector().fit(numbers, y.to_numpy())
    assert np.array_equal(selector.support_, expected)
    assert selector.result_.target == "y"
    assert np.array_equal(selector.transform(numbers), numbers[:, expected])


def test_data_frames_out(customers: tuple[pd.DataFrame, pd.Series]) -> None:
    features, y = customers
    selector = MarkovBlanketSelector().set_output(transform="pandas").fit(features, y)
    pd.testing.assert_frame_equal(selector.transform(features), features.loc[:, selector.support_])


def test_in_a_pipeline_and_a_search(customers: tuple[pd.DataFrame, pd.Series]) -> None:
    features, y = customers
    steps = make_pipeline(MarkovBlanketSelector(), OrdinalEncoder(), CategoricalNB(min_categories=10))
    search = GridSearchCV(steps, {"markovblanketselector__alpha": [0.001, 0.05]}, error_score="raise").fit(features, y)
    assert search.best_score_ > 0.6
    again = pickle.loads(pickle.dumps(search))
    assert np.array_equal(again.predict(features), search.predict(features))


def test_quantities_are_cut() -> None:
    features, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = MarkovBlanketSelector().fit(features, y)
    assert 3 <= selector.support_.sum() <= 12
    forest = make_pipeline(MarkovBlanketSelector(), RandomForestClassifier(n_estimators=30, random_state=0))
    assert forest.fit(features[::2], y[::2]).score(features[1::2], y[1::2]) > 0.9
    ages = np.column_stack([np.arange(300) % 90, np.arange(300) % 2])  # whole numbers, but no labels
    assert list(MarkovBlanketSelector().fit(ages, ages[:, 0] > 40).support_) == [True, False]


def test_y_may_be_a_quantity() -> None:
    features, y = load_diabetes(return_X_y=True, as_frame=True)
    assert set(features.columns[MarkovBlanketSelector().fit(features, y).support_]) >= {"bmi", "s5"}


def test_nothing_to_keep() -> None:
    rng = np.random.default_rng(0)
    features, y = rng.integers(0, 2, (500, 3)), rng.integers(0, 2, 500)
    features[:, 2] = 1  # never kept, and no reason to warn
    selector = MarkovBlanketSelector(alpha=1e-6).fit(features, y)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(features).shape == (500, 0)


def test_the_name_of_y_gives_way() -> None:
    table = pd.DataFrame({"y": [0, 1] * 50, "y_": [0, 0, 1, 1] * 25})
    assert MarkovBlanketSelector().fit(table, table["y"]).result_.target == "y__"
    assert list(MarkovBlanketSelector().fit(table, table["y"]).support_) == [True, False]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bins": 1}, "bins must be a whole number of at least 2"),
        ({"alpha": 2}, "alpha must lie between 0 and 1"),
        ({"method": "elcs"}, "is a local learner"),
    ],
)
def test_bad_parameters(customers: tuple[pd.DataFrame, pd.Series], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(elcs.ElcsError, match=message):
        MarkovBlanketSelector(**changes).fit(*customers)


def test_bad_tables(customers: tuple[pd.DataFrame, pd.Series]) -> None:
    features, y = customers
    with pytest.raises(elcs.DataError, match="values are missing in 'age'; fill them in first"):
        MarkovBlanketSelector().fit(features.assign(age=None), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MarkovBlanketSelector().fit(features, y[:-1])
    with pytest.raises(elcs.DataError, match="target 'y' is constant"):
        MarkovBlanketSelector().fit(features, np.zeros(len(features)))


def test_scikit_learn_is_only_needed_here() -> None:
    hidden = "import sys; sys.modules['sklearn'] = None; import elcs; "
    subprocess.run([sys.executable, "-c", hidden], check=True)
    done = subprocess.run([sys.executable, "-c", hidden + "import elcs.sklearn"], capture_output=True, text=True)
    assert "pip install 'elcs[sklearn]'" in done.stderr


def test_the_selector_takes_what_is_known(customers: tuple[pd.DataFrame, pd.Series]) -> None:
    known = {"required": [("age", "satisfaction")], "outcomes": ["churn"]}
    for method in ("emb-exact", "iamb"):
        found = MarkovBlanketSelector(method=method, knowledge=known).fit(*customers)
        assert "age" in found.get_feature_names_out()
        assert "age" in found.result_.parents
    assert found.get_params()["knowledge"] is known
    with pytest.raises(elcs.ElcsError, match="plan= and knowledge= are both given"):
        MarkovBlanketSelector(knowledge=known, plan=elcs.Plan()).fit(*customers)
    with pytest.raises(elcs.KnowledgeError, match="there is no column 'agee'"):
        MarkovBlanketSelector(knowledge={"outcomes": ["agee"]}).fit(*customers)
