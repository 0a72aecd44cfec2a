"""The questions of the package: `learn`, `blanket`, `learn_graph`, `stability` and `compare`."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from elcs.causal_graph import CausalGraph, edges_of
from elcs.comparison import Comparison
from elcs.data import Dataset
from elcs.data.values import Values
from elcs.errors import BudgetError, DataWarning, ElcsError, unknown_name
from elcs.evidence import cite
from elcs.graph.pdag import PDAG
from elcs.independence import G2, TESTS, CITest
from elcs.learners import registry
from elcs.learners.local.elcs import orient_around
from elcs.learners.notes import Blanket, Local, Whole
from elcs.resampling import Rerun, Stability, check_resampling, resample
from elcs.results import LocalStructure, MarkovBlanket, _Records
from elcs.scores import SCORES, Score

__all__ = ["blanket", "compare", "learn", "learn_graph", "stability"]

Result = TypeVar("Result", bound=MarkovBlanket)


def learn(
    data: Any,
    target: str,
    *,
    method: str = "elcs-exact",
    alpha: float = 0.01,
    ci_test: str | Callable[..., CITest] = "g2",
    score: str | Callable[..., Score] = "bdeu",
    max_cond_size: int | None = 3,
    max_tests: int | None = None,
    timeout: float | None = None,
    **options: Any,
) -> LocalStructure:
    """Find the direct causes and direct effects of a variable.

    Parameters
    ----------
    data : table or CITest
        Anything that `Dataset.from_any` takes; or a `CITest`, whose own level of significance then counts.
    target : str
        The variable of interest.
    method : str
        A local learner, or a global one, of whose graph then only what is at the target is returned; `elcs.methods`
        lists them.
    alpha : float
        Level of significance of the tests.
    ci_test : {"g2", "chi2"} or callable
        The test, or what makes one: called with the data set and ``alpha=``.
    score : {"bdeu", "bic"} or callable
        For a method that asks for scores, the score, or what makes one from the data set.
    max_cond_size : int or None
        The largest conditioning set of a subset search; None for no limit.
    max_tests, timeout : int, float, optional
        Stop after so many tests (or scores) or seconds; what is settled by then is returned, with ``complete=False``.
    **options
        Options of the method; where it takes another learner (``blanket=``), its name will do.

    Examples
    --------
    >>> import elcs
    >>> result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    >>> result.parents, result.children
    (('price_rise', 'outages'), ('referral', 'churn'))
    >>> print(result.explain("age"))
    age is not directly connected with satisfaction: they are independent (p = 0.74).
    """
    chosen = registry.find(method, "local", "global")
    if chosen.kind == "global":
        asked, whole, cost = _learn_whole(
            chosen, data, target, alpha, ci_test, score, max_cond_size, max_tests, timeout, options
        )
        own = whole.around(target)
        if isinstance(asked, CITest):  # how strong the links are; mostly remembered from the run
            others = [x for x in whole.variables if x != target]
            tests = asked.test_many([(target, x, ()) for x in others])
            own.marginal.update(zip(others, tests, strict=True))
        rest = {**cost, "learned": whole.variables}
        again = _rerun(learn, asked, target, method, max_cond_size, options, score=score)
        return _result(LocalStructure, asked, own, whole.graph, rest, again)
    ci = _test(data, target, alpha, ci_test)
    notes = Local(target)
    cost = _run(ci, chosen, notes, max_cond_size, max_tests, timeout, options)
    own = notes.open(target)
    if not own.done:  # stopped on the way: what was found so far are neighbours of unknown direction
        orient_around(notes.graph, own)
    graph = notes.graph
    learned = tuple(x for x, found in notes.blankets.items() if found.done)
    again = _rerun(learn, ci, target, method, max_cond_size, options)
    return _result(LocalStructure, ci, own, graph, {**cost, "learned": learned}, again)


def learn_graph(
    data: Any,
    *,
    method: str = "elcs-global",
    alpha: float = 0.01,
    ci_test: str | Callable[..., CITest] = "g2",
    score: str | Callable[..., Score] = "bdeu",
    max_cond_size: int | None = 3,
    max_tests: int | None = None,
    timeout: float | None = None,
    n_jobs: int = 1,
    **options: Any,
) -> CausalGraph:
    """Find the whole graph: all variables and the edges between them.

    Parameters
    ----------
    data, alpha, ci_test, score, max_cond_size, max_tests, timeout
        As for `learn`. A method that fits numbers takes columns of fractions as they are.
    method : str
        A global learner; `elcs.methods` lists them.
    n_jobs : int
        Number of processes, for a method that can use several; -1 for one per processor.
    **options
        Options of the method.

    Examples
    --------
    >>> import elcs
    >>> graph = elcs.learn_graph(elcs.data.SAMPLE)
    >>> graph.parents("satisfaction"), graph.children("satisfaction")
    (('price_rise', 'outages'), ('referral', 'churn'))
    """
    chosen = registry.find(method, "global")
    if "n_jobs" in _takes(chosen):
        options = {**options, "n_jobs": n_jobs}
    _, whole, cost = _learn_whole(chosen, data, None, alpha, ci_test, score, max_cond_size, max_tests, timeout, options)
    directed, undirected = edges_of(whole.graph, whole.variables)
    return CausalGraph(
        nodes=whole.variables,
        directed=directed,
        undirected=undirected,
        separators=whole.separators,
        conflicts=tuple(whole.graph.conflicts),
        **cost,
    )


def _learn_whole(
    method: registry.Method,
    data: Any,
    target: str | None,
    alpha: float,
    ci_test: str | Callable[..., CITest],
    score: str | Callable[..., Score],
    max_cond_size: int | None,
    max_tests: int | None,
    timeout: float | None,
    options: dict[str, Any],
) -> tuple[CITest | Score | Values, Whole, dict[str, Any]]:
    """Run a global learner."""
    asked: CITest | Score | Values
    if method.asks == "values":
        asked = data if isinstance(data, Values) else Values.from_any(data, target=target)
    elif method.asks == "scores":
        asked = _score(data, target, score)
    else:
        asked = _test(data, target, alpha, ci_test)
        if method.asks == "tests and scores":
            options = {**options, "score": _score(data if isinstance(data, Score) else asked, target, score)}
    notes = Whole(asked.variables)
    return asked, notes, _run(asked, method, notes, max_cond_size, max_tests, timeout, options)


def blanket(
    data: Any,
    target: str,
    *,
    method: str = "emb-exact",
    alpha: float = 0.01,
    ci_test: str | Callable[..., CITest] = "g2",
    score: str | Callable[..., Score] = "bdeu",
    max_cond_size: int | None = 3,
    max_tests: int | None = None,
    timeout: float | None = None,
    **options: Any,
) -> MarkovBlanket:
    """Find the Markov blanket of a variable; takes what `learn` takes.

    Parameters
    ----------
    data, target, alpha, ci_test, max_cond_size, max_tests, timeout
        As for `learn`.
    method : str
        A blanket learner, or a learner of parents and children alone; `elcs.methods` lists them.
    score : {"bdeu", "bic"} or callable
        For a learner that asks for scores instead of tests, the score, or what makes one from the data set. The
        data may be a `Score` as well; ``max_tests`` then limits scores, ``max_cond_size`` sets of parents.
    **options
        Options of the method; where it takes another learner (``pc=``), its name will do.

    Examples
    --------
    >>> import elcs
    >>> result = elcs.blanket(elcs.data.SAMPLE, "satisfaction")
    >>> sorted(result.markov_blanket)
    ['churn', 'contract', 'outages', 'price_rise', 'referral']
    >>> elcs.blanket(elcs.data.SAMPLE, "satisfaction", method="s2tmb", score="bic").spouses
    {'churn': ('contract',)}
    """
    chosen = registry.find(method, "blanket", "pc")
    ci = _test(data, target, alpha, ci_test) if chosen.asks == "tests" else _score(data, target, score)
    notes = Blanket(target)
    cost = _run(ci, chosen, notes, max_cond_size, max_tests, timeout, options)
    graph = PDAG()
    orient_around(graph, notes)
    again = _rerun(blanket, ci, target, method, max_cond_size, options)
    return _result(MarkovBlanket, ci, notes, graph, cost, again)


def stability(
    data: Any,
    target: str,
    *,
    method: str = "elcs-exact",
    n_samples: int = 100,
    n_jobs: int = 1,
    random_state: int = 0,
    alpha: float = 0.01,
    ci_test: str | Callable[..., CITest] = "g2",
    score: str | Callable[..., Score] = "bdeu",
    max_cond_size: int | None = 3,
    timeout: float | None = None,
    report: Callable[[int], None] = lambda n_done: None,
    **options: Any,
) -> Stability:
    """Count how often each finding comes back when only half of the observations are used.

    The observations are parted at random into two halves, the method is run on both, and so on. Halves are drawn
    without replacement; where rows have weights, observations are drawn, not rows. A result knows how it was made:
    ``result.stability()`` does the same.

    Parameters
    ----------
    data, target, alpha, ci_test, score, max_cond_size, **options
        As for `learn` and `blanket`. Only tests on tables (G2, Chi2) and scores can be asked about half of the rows.
    method : str
        Any method.
    n_samples : int
        The number of half-samples; even, because they come in pairs.
    n_jobs : int
        Number of processes; -1 for one per processor. They take some tenths of a second to start, so they pay in runs
        of several seconds. The answer does not depend on it.
    random_state : int
        The same number gives the same halves.
    timeout : float, optional
        Stop after so many seconds; what has been counted by then is returned, with ``complete=False``.
    report : callable
        Called with the number of half-samples counted so far.

    Examples
    --------
    >>> import elcs
    >>> found = elcs.stability(elcs.data.SAMPLE, "satisfaction", n_samples=20)
    >>> found.shares["churn"]
    Shares(blanket=1.0, neighbour=1.0, parent=0.0, child=1.0, undirected=0.0, spouse=0.0)
    """
    chosen = _find_any(method)
    check_resampling(chosen, n_samples)
    asked = _score(data, target, score) if chosen.asks == "scores" else _test(data, target, alpha, ci_test)
    again = _rerun(_question(chosen), asked, target, method, max_cond_size, options, score=score)
    if again is None:
        what = type(asked).__name__
        raise ElcsError(f"{what} cannot be asked about half of the rows; tests on tables (G2, Chi2) and scores can")
    return resample(
        again, n_samples=n_samples, n_jobs=n_jobs, random_state=random_state, timeout=timeout, report=report
    )


def compare(
    data: Any,
    target: str,
    methods: Sequence[str] = ("elcs-exact", "mb-by-mb", "pc-stable", "iamb", "s2tmb"),
    *,
    alpha: float = 0.01,
    ci_test: str | Callable[..., CITest] = "g2",
    score: str | Callable[..., Score] = "bdeu",
    max_cond_size: int | None = 3,
    max_tests: int | None = None,
    timeout: float | None = None,
    report: Callable[[str], None] = lambda method: None,
) -> Comparison:
    """Ask several methods about the same variable, and see where they agree.

    The table is read and laid out once. Each method starts with an empty cache, so that costs can be compared.

    Parameters
    ----------
    data, target, alpha, ci_test, score, max_cond_size
        As for `learn` and `blanket`.
    methods : sequence of str
        Methods of any kind: of local structure, blankets, neighbours or whole graphs.
    max_tests, timeout : int, float, optional
        Stop each method after so many tests or seconds, with what it has settled by then.
    report : callable
        Called with the name of each method before it starts.

    Examples
    --------
    >>> import elcs
    >>> found = elcs.compare(elcs.data.SAMPLE, "satisfaction", ["elcs-exact", "iamb"])
    >>> found.roles["churn"], found.agreement["churn"].blanket
    ({'elcs-exact': 'child', 'iamb': 'member'}, 2)
    """
    if isinstance(methods, str) or not methods:
        raise ElcsError(f"methods must be a list of names, not {methods!r}")
    chosen = [_find_any(method) for method in dict.fromkeys(methods)]
    ci = _test(data, target, alpha, ci_test)
    results = {}
    for method in chosen:
        report(method.name)
        asked: CITest | Score = ci
        if method.asks == "scores":
            asked = _score(data if isinstance(data, Score) else ci, target, score)
        asked.clear_cache()
        results[method.name] = _question(method)(
            asked,
            target,
            method=method.name,
            score=score,
            max_cond_size=max_cond_size,
            max_tests=max_tests,
            timeout=timeout,
        )
    return Comparison(target, tuple(x for x in ci.variables if x != target), results)


def _find_any(method: str) -> registry.Method:
    return registry.find(method, "local", "global", "blanket", "pc")


def _question(method: registry.Method) -> Callable[..., MarkovBlanket]:
    """Return the question that a method answers."""
    return learn if method.kind in ("local", "global") else blanket


def _rerun(
    ask: Callable[..., MarkovBlanket],
    asked: CITest | Score | Values,
    target: str,
    method: str,
    max_cond_size: int | None,
    options: dict[str, Any],
    **more: Any,
) -> Rerun | None:
    """Note how a result is made, if it can be made from half of the rows."""
    if not isinstance(asked, G2 | Score):
        return None
    how = {"target": target, "method": method, "max_cond_size": max_cond_size, **more, **options}
    return Rerun(asked.data, asked.recipe, ask, how)


def _test(data: Any, target: str | None, alpha: float, ci_test: str | Callable[..., CITest]) -> CITest:
    """Return the test to ask, having checked that the target can be asked about."""
    if isinstance(data, Score):
        data = data.data
    if isinstance(data, CITest):
        ci = data
    elif isinstance(ci_test, str) and ci_test not in TESTS:
        raise ElcsError(f"ci_test must be one of {', '.join(TESTS)}, or what makes a CITest, not {ci_test!r}")
    else:
        make = TESTS[ci_test] if isinstance(ci_test, str) else ci_test
        ci = make(Dataset.from_any(data, target=target), alpha=alpha)
    if target is not None and target not in ci.variables:
        raise unknown_name(target, ci.variables)
    return ci


def _score(data: Any, target: str | None, score: str | Callable[..., Score]) -> Score:
    """Return the score to ask, having checked that the target can be asked about."""
    if isinstance(score, str) and score not in SCORES:
        raise ElcsError(f"score must be one of {', '.join(SCORES)}, or what makes a Score, not {score!r}")
    make = SCORES[score] if isinstance(score, str) else score
    if isinstance(data, Score):
        made = data
    elif isinstance(data, G2):  # its table has been read and laid out already
        made = make(data.data, engine=data.engine)
    elif isinstance(data, CITest):
        raise ElcsError(f"scores need a table, which {type(data).__name__} does not have; choose another method")
    else:
        made = make(Dataset.from_any(data, target=target))
    if target is not None and target not in made.variables:
        raise unknown_name(target, made.variables)
    return made


def _run(
    ci: CITest | Score | Values,
    method: registry.Method,
    notes: Blanket | Local | Whole,
    max_cond_size: int | None,
    max_tests: int | None,
    timeout: float | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Let the method fill in the notes, within the limits, and return what it cost."""
    if max_cond_size is not None and max_cond_size < 0:
        raise ElcsError(f"max_cond_size must not be negative, but is {max_cond_size!r}; None means no limit")
    given = {name: _option(method, name, value) for name, value in options.items()}
    sources = [ci, *(value for value in given.values() if isinstance(value, Score))]
    asked, computed = _counts(sources)
    start, complete = time.perf_counter(), True
    for source in sources:
        source.limit(tests=max_tests, seconds=timeout)
    try:
        method.learn(ci, notes, max_cond_size=max_cond_size, **given)
    except BudgetError:
        complete = False
    finally:
        for source in sources:
            source.limit()
    asked_by_now, computed_by_now = _counts(sources)
    return {
        "method": method.name,
        "n_tests": asked_by_now - asked,
        "n_computed": computed_by_now - computed,
        "seconds": time.perf_counter() - start,
        "complete": complete,
        "settings": {
            **{name: value for source in sources for name, value in _settings(source).items()},
            "max_cond_size": max_cond_size,
            **{name: value for name, value in options.items() if isinstance(value, (str, int, float, bool))},
        },
    }


def _counts(sources: Iterable[CITest | Score | Values]) -> tuple[int, int]:
    """Return how many tests and scores have been asked for and computed."""
    return sum(source.n_asked for source in sources), sum(source.n_computed for source in sources)


def _settings(ci: CITest | Score | Values) -> dict[str, Any]:
    """Say what was asked."""
    if isinstance(ci, Values):
        return {}
    if isinstance(ci, Score):
        return {"score": type(ci).__name__, **ci.settings}
    return {"ci_test": type(ci).__name__, "alpha": getattr(ci, "alpha", None)}


def _option(method: registry.Method, name: str, value: Any) -> Any:
    """Check that the method takes this option; where it takes a learner, find it by name."""
    takes = _takes(method)
    if name not in takes:
        raise ElcsError(f"{method.name} takes no option {name!r}; it takes {', '.join(takes)}")
    if name in ("pc", "blanket") and isinstance(value, str):
        found = registry.find(value, "pc" if name == "pc" else "blanket")
        if found.asks != method.asks:
            raise ElcsError(f"{value!r} asks for {found.asks}, {method.name!r} for {method.asks}; they do not combine")
        return found.learn
    return value


def _takes(method: registry.Method) -> list[str]:
    """Return the names of the options of a method."""
    return [name for name, p in inspect.signature(method.learn).parameters.items() if p.kind is p.KEYWORD_ONLY]


def _result(
    kind: type[Result],
    ci: CITest | Score | Values,
    notes: Blanket,
    graph: PDAG,
    rest: dict[str, Any],
    again: Rerun | None,
) -> Result:
    """Put the result together and look up the tests that it rests on."""
    target = notes.target
    if notes.marginal and not any(result.reliable for result in notes.marginal.values()):
        warnings.warn(
            f"no test of {target!r} with another column is reliable: there are too few rows to conclude anything",
            DataWarning,
            stacklevel=3,
        )
    children = _in_order(ci, graph.children(target))
    return kind(
        target=target,
        parents=_in_order(ci, graph.parents(target)),
        children=children,
        undirected=_in_order(ci, graph.undirected(target)),
        spouses={y: _in_order(ci, names) for y in children if (names := notes.spouses.get(y))},
        members=_in_order(ci, notes.members),
        _records=_Records(
            variables=ci.variables,
            notes=notes,
            graph=graph,
            tests=cite(ci, notes, graph) if isinstance(ci, CITest) else {},
            rerun=again,
        ),
        **rest,
    )


def _in_order(ci: CITest | Score | Values, names: Iterable[str]) -> tuple[str, ...]:
    """Sort names as the table has them."""
    chosen = set(names)
    return tuple(name for name in ci.variables if name in chosen)
