"""A feature selector for scikit-learn pipelines; needs the extra ``elcs[sklearn]``."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.api import blanket
from elcs.data import Table
from elcs.data.levels import Factor, as_kind
from elcs.data.naming import quoted
from elcs.data.prepare import apply_bins, check_types, refuse
from elcs.data.sources import encode, open_table
from elcs.data.times import TIMES
from elcs.errors import DataError, DataWarning, ElcsError
from elcs.independence import CITest
from elcs.study import Plan
from elcs.study.known import Known
from elcs.study.plan import PlanKeywords

try:
    from sklearn.base import BaseEstimator
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils import assert_all_finite
    from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data
except ImportError as error:
    raise ImportError(
        "elcs.sklearn needs scikit-learn 1.6 or later, which is not installed: pip install 'elcs[sklearn]'"
    ) from error

__all__ = ["MarkovBlanketSelector"]

MOST_LEVELS = 20
"""Whole numbers with more values than this are a quantity, to be cut into bins, rather than labels."""


class MarkovBlanketSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Keep the features in the Markov blanket of y: given them, no other feature adds information about y.

    The number of features that are kept follows from the data. To find the blanket, numbers with fractions, and whole
    numbers with more than 20 different values, are cut into bins of about the same number of rows. This applies to
    features and to y, so y may be classes or a quantity. The features that are kept are passed on unchanged. Values may
    be numbers, truth values, or, in a data frame or an array of objects, text and categories; none may be missing.

    Parameters
    ----------
    method : str
        A learner of blankets, or of neighbours alone; see `elcs.blanket`.
    alpha : float
        Level of significance of the tests: the smaller, the fewer features.
    ci_test : str or callable
        The test; see `elcs.Plan`.
    max_cond_size : int or None
        The largest conditioning set of a search; None for no limit.
    bins : int
        The number of bins to cut quantities into. A test needs five rows per combination of levels to be reliable, and
        a feature that no reliable test rules out is kept: a test of three quantities takes 135 rows with 3 bins, 625
        with 5.
    knowledge : Knowledge, mapping or path, optional
        What is known about the graph beforehand; see `elcs.Plan`. Features go by their names, or x0, x1, ...; y by its
        own, or 'y'.
    plan : Plan, optional
        Everything that `elcs.blanket` can be asked, in place of method, alpha, ci_test, max_cond_size and knowledge.

    Attributes
    ----------
    support_ : array of bool
        Which features are kept. Features that do not vary never are.
    result_ : MarkovBlanket
        What was found, with the evidence; the target goes by the name of y, or 'y'.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : array of str
        Their names, if they had names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = MarkovBlanketSelector().set_output(transform="pandas").fit(X, y)
    >>> list(selector.transform(X).columns[:3]), int(selector.support_.sum())
    (['texture error', 'area error', 'smoothness error'], 6)
    >>> selector.result_.children
    ('worst radius', 'worst texture')
    """

    def __init__(
        self,
        *,
        method: str = "emb-exact",
        alpha: float = 0.01,
        ci_test: str | Callable[..., CITest] = "auto",
        max_cond_size: int | None = 3,
        bins: int = 3,
        knowledge: Known | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.ci_test = ci_test
        self.max_cond_size = max_cond_size
        self.bins = bins
        self.knowledge = knowledge
        self.plan = plan

    def fit(self, X: Any, y: Any) -> MarkovBlanketSelector:  # noqa: N803  # scikit-learn's name
        """Find the Markov blanket of y.

        Parameters
        ----------
        X : data frame or array
            The features.
        y : series or array
            Classes, or a quantity.
        """
        if isinstance(self.bins, bool) or not isinstance(self.bins, int | np.integer) or self.bins < 2:
            raise ElcsError(f"bins must be a whole number of at least 2, not {self.bins!r}")
        factors, target = self._encode(X, y)
        names = [name for name in factors if name != target]
        quantities = {
            name: int(self.bins)
            for name, f in factors.items()
            if f.kind == "number" or (f.kind in ("integer", *TIMES) and len(f.levels) > MOST_LEVELS)
        }
        with warnings.catch_warnings():
            # A feature that does not vary is not kept; there is nothing to fix.
            warnings.filterwarnings("ignore", "left out columns", DataWarning)
            cut = apply_bins(factors, quantities, None, [])
            labels = {name: as_kind(f, "category") for name, f in cut.items() if f.kind in ("integer", *TIMES)}
            data = Table.from_factors(cut | labels, target=target)
        self.result_ = blanket(data, target, plan=self._plan())
        kept = set(self.result_.markov_blanket)
        self.support_: NDArray[np.bool_] = np.array([name in kept for name in names])
        return self

    def _plan(self) -> Plan:
        """Return the plan, or make one from the parameters."""
        own: PlanKeywords = {
            "method": self.method,
            "alpha": self.alpha,
            "ci_test": self.ci_test,
            "max_cond_size": self.max_cond_size,
            "knowledge": self.knowledge,
        }
        if self.plan is None:
            return Plan(**own)
        defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
        changed = [name for name, value in own.items() if value != defaults[name]]
        if changed:
            raise ElcsError(f"plan= and {changed[0]}= are both given; set it in the plan")
        return self.plan

    def _encode(self, X: Any, y: Any) -> tuple[dict[str, Factor], str]:  # noqa: N803
        """Check X and y as scikit-learn does, and encode the columns of both; return them and the name of y."""
        title = getattr(y, "name", None)
        names = None
        if hasattr(X, "columns") or hasattr(X, "column_names"):  # left as it is: an array would have one type for all
            validate_data(self, X, y, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
            assert_all_finite(y, input_name="y")
        else:
            X, y = validate_data(self, X, y, dtype=None, ensure_min_samples=2)  # noqa: N806
            names = [f"x{i}" for i in range(self.n_features_in_)]
        table = open_table(X, names=names, encoding="utf-8")
        factors = table.load(table.names, ())
        target = title if isinstance(title, str) and title not in factors else "y"
        while target in factors:
            target += "_"
        factors[target] = encode(y)
        problems = [*table.problems, *table.no_names(table.names)]
        check_types(factors, problems)
        refuse(problems)
        gaps = [name for name, factor in factors.items() if factor.has_missing]
        if gaps:
            raise DataError(
                f"values are missing in {quoted(gaps)}; fill them in first, for instance with a SimpleImputer"
            )
        return factors, target

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
