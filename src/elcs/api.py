"""The questions of the package: `learn`, `blanket`, `learn_graph`, `effect`, `stability` and `compare`.

Each binds a plan to a table (`study/`) and asks the study that comes of it (`answers/asking.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from elcs.answers.asking import ask, ask_for_blanket, ask_for_causes, ask_for_graph
from elcs.answers.blanket import MarkovBlanket
from elcs.answers.graph import CausalGraph
from elcs.answers.local import LocalStructure
from elcs.errors import ElcsError
from elcs.independence import CITest
from elcs.scores import Score
from elcs.study import Plan, Study
from elcs.study.checks import check_target, warn_of_tests_alone
from elcs.study.question import BLANKET, COMPARE, EFFECT, GRAPH, LEARN, STABILITY, Keywords, Question

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from elcs.answers.comparison import Comparison
    from elcs.answers.effect import Effect
    from elcs.answers.stability import Stability

__all__ = ["blanket", "compare", "effect", "learn", "learn_graph", "stability"]

COMPARED = ("elcs-hybrid", "elcs-exact", "mb-by-mb", "pc-stable", "iamb")
"""The methods that are compared by default."""


@LEARN.takes_keywords
def learn(data: Any, target: str, *, plan: Plan | None = None, **keywords: Unpack[Keywords]) -> LocalStructure:
    """Find the direct causes and direct effects of a variable.

    Parameters
    ----------
    data : table, CITest, Score or Study
        Anything that `Table.from_any` takes, or tests, scores or a study made beforehand.
    target : str
        The variable of interest.
    plan : Plan, optional
        The method, its options, the test, the score and the limits; keywords override them.
    **keywords
        The fields of `Plan` say how to find out: method, alpha, ci_test, score, max_cond_size, max_tests, timeout,
        knowledge. The fields of `Reading` say how to read the table: bins, missing, weights, drop, columns, kinds,
        names, encoding. Any other keyword is an option of the method; an option that takes another learner
        (``blanket=``) accepts its name.

        The method is a local learner or a learner of whole graphs; of a whole graph, only the part around the target
        is returned. With ``depth=2`` the result also has the graph of all variables up to two steps away
        (`LocalStructure.part`).

    Examples
    --------
    >>> import elcs
    >>> result = elcs.learn(elcs.data.SAMPLE, "satisfaction")
    >>> result.parents, result.children
    (('price_rise', 'outages'), ('referral', 'churn'))
    >>> print(result.explain("age"))
    age is not directly connected with satisfaction: they are independent (p = 0.74).
    >>> elcs.learn(elcs.data.SAMPLE, "contract", depth=2).part.directed
    (('contract', 'churn'), ('satisfaction', 'churn'), ('churn', 'winback_offer'))
    """
    return ask_for_causes(_study(LEARN, data, target, plan, keywords), target)


@BLANKET.takes_keywords
def blanket(data: Any, target: str, *, plan: Plan | None = None, **keywords: Unpack[Keywords]) -> MarkovBlanket:
    """Find the Markov blanket of a variable: given it, no other variable adds information about the target.

    Parameters
    ----------
    data, target, plan, **keywords
        As for `learn`. The method is a learner of blankets, or of parents and children alone.

    Examples
    --------
    >>> import elcs
    >>> result = elcs.blanket(elcs.data.SAMPLE, "satisfaction")
    >>> sorted(result.markov_blanket)
    ['churn', 'contract', 'outages', 'price_rise', 'referral']
    >>> elcs.blanket(elcs.data.SAMPLE, "satisfaction", method="s2tmb", score="bic").spouses
    {'churn': ('contract',)}
    """
    return ask_for_blanket(_study(BLANKET, data, target, plan, keywords), target)


@GRAPH.takes_keywords
def learn_graph(
    data: Any, *, plan: Plan | None = None, n_jobs: int | None = None, **keywords: Unpack[Keywords]
) -> CausalGraph:
    """Find the whole graph: all variables and the edges between them.

    Parameters
    ----------
    data, plan, **keywords
        As for `learn`. The method is a learner of whole graphs.
    n_jobs : int, optional
        Number of processes, for a method that can use several; -1 for one per processor.

    Examples
    --------
    >>> import elcs
    >>> graph = elcs.learn_graph(elcs.data.SAMPLE)
    >>> graph.parents("satisfaction"), graph.children("satisfaction")
    (('price_rise', 'outages'), ('referral', 'churn'))
    """
    more = {} if n_jobs is None else {"n_jobs": n_jobs}
    return ask_for_graph(_study(GRAPH, data, None, plan, {**keywords, **more}))


@EFFECT.takes_keywords
def effect(
    data: Any,
    cause: str,
    effect: str,
    *,
    n_samples: int = 0,
    random_state: int = 0,
    report: Callable[[int], None] = lambda n_done: None,
    plan: Plan | None = None,
    **keywords: Unpack[Keywords],
) -> Effect:
    """Estimate what would happen to one column if another were set.

    The graph around the cause is learnt; what must be held fixed follows from it, and the numbers come from the table.
    Of the sets that suffice the one is taken that gives the narrowest intervals. Where the graph leaves open what to
    hold fixed, all possible effects are given. If a column that is missing from the table influences both, none of
    this holds.

    Parameters
    ----------
    data, plan, **keywords
        As for `learn`.
    cause, effect : str
        The column to be set, and the one to look at. Either may be discrete or numeric.
    n_samples : int
        The intervals take the graph for right. With so many half-samples, say 100, the graph is learnt anew from each,
        and the answer also says what they agree on (`Effect.relearnt`).
    random_state : int
        The same number gives the same halves.
    report : callable
        Called with the number of half-samples done so far.

    Examples
    --------
    >>> import elcs
    >>> found = elcs.effect(elcs.data.SAMPLE, "outages", "satisfaction")
    >>> found.identified
    True
    >>> print(found.say("none", "high"))
    If outages were none, the share ... would rise from 42% to 57% (55% to 59%); adjusted for price_rise.
    >>> found.possible[0].outcomes["none"]["high"]
    0.568...
    """
    from elcs.answers.estimating import check_effect, effect_in, relearnt
    from elcs.answers.halves import check_pairs

    if n_samples:
        check_pairs(n_samples)
    study = _study(EFFECT, data, cause, plan, keywords)
    check_effect(study, cause, effect)
    result = ask_for_causes(study, cause)
    if result._records is None:
        raise ValueError("a result without records")
    found = effect_in(result._records.graph, study, cause, effect, complete=result.complete)
    if not n_samples or not result.complete:
        return found
    return relearnt(study, found, ask, n_samples=n_samples, random_state=random_state, report=report)


@STABILITY.takes_keywords
def stability(
    data: Any,
    target: str,
    *,
    n_samples: int = 100,
    n_jobs: int = 1,
    random_state: int = 0,
    report: Callable[[int], None] = lambda n_done: None,
    plan: Plan | None = None,
    **keywords: Unpack[Keywords],
) -> Stability:
    """Count how often each finding comes back when only half of the observations are used.

    The observations are split at random into two halves and the method is run on both; then they are split again, and
    so on. Halves are drawn without replacement; where rows have weights, observations are drawn, not rows. A result
    knows how it was made: ``result.stability()`` does the same.

    Parameters
    ----------
    data, target, plan, **keywords
        As for `learn` and `blanket`; the method may be of any kind. Tests and scores that do not come from a table
        cannot be asked about half of the rows. ``timeout`` limits all half-samples together; what has been counted by
        then is returned, with ``complete=False``.
    n_samples : int
        The number of half-samples; even, because they come in pairs.
    n_jobs : int
        Number of processes; -1 for one per processor. They take a few tenths of a second to start, so they pay off in
        runs of several seconds. The answer does not depend on their number.
    random_state : int
        The same number gives the same halves.
    report : callable
        Called with the number of half-samples counted so far.

    Examples
    --------
    >>> import elcs
    >>> found = elcs.stability(elcs.data.SAMPLE, "satisfaction", n_samples=20)
    >>> found.shares["churn"]
    Shares(blanket=1.0, neighbour=1.0, parent=0.0, child=1.0, undirected=0.0, spouse=0.0)
    """
    from elcs.answers.halves import check_pairs
    from elcs.answers.stability import resample

    check_pairs(n_samples)
    study = _study(STABILITY, data, target, plan, keywords)
    return resample(study, target, ask, n_samples=n_samples, n_jobs=n_jobs, random_state=random_state, report=report)


@COMPARE.takes_keywords
def compare(
    data: Any,
    target: str,
    methods: Sequence[str] | None = None,
    *,
    plan: Plan | None = None,
    report: Callable[[str], None] = lambda method: None,
    **keywords: Unpack[Keywords],
) -> Comparison:
    """Ask several methods about the same variable, and see where they agree.

    The table is read and laid out once. Each method starts with an empty cache, so that costs can be compared.

    Parameters
    ----------
    data, target, plan, **keywords
        As for `learn` and `blanket`; ``max_tests`` and ``timeout`` limit each method separately. A keyword must have an
        effect on at least one of the methods.
    methods : sequence of str
        Methods of any kind: for local structure, blankets, neighbours or whole graphs. By default five; those by tests
        alone if the rows of the table are not at hand.
    report : callable
        Called with the name of each method before it starts.

    Examples
    --------
    >>> import elcs
    >>> found = elcs.compare(elcs.data.SAMPLE, "satisfaction", ["elcs-exact", "iamb"])
    >>> found.roles["churn"], found.agreement["churn"].blanket
    ({'elcs-exact': 'child', 'iamb': 'member'}, 2)
    """
    from elcs.answers.comparison import Comparison

    asked_for = COMPARED if methods is None else methods
    if isinstance(asked_for, str) or not isinstance(asked_for, Iterable) or not (asked_for := [*asked_for]):
        raise ElcsError(f"methods must be a list of names, not {methods!r}")
    check_target(target, data)
    if plan is None and isinstance(data, Study):
        plan = replace(data.plan, method=None, options={})
    plans = COMPARE.put_to_each(asked_for, plan, keywords)
    study = Study.of(data, plans[0], target=target)
    if methods is None and study.table is not None and not study.table.quick:
        warn_of_tests_alone(COMPARED[0], stacklevel=2)
        plans = [asked for asked in plans if not asked.plan.learner.uses("scores")]
    results = {}
    for asked in plans:
        method = asked.plan.learner.name
        report(method)
        one = study.under(asked.plan)
        one.forget()
        results[method] = ask(one, target)
    return Comparison(target, tuple(x for x in study.variables if x != target), results)


def _study(question: Question, data: Any, target: str | None, plan: Plan | None, keywords: Mapping[str, Any]) -> Study:
    """Bind the question to the data."""
    if question is not GRAPH:
        check_target(target, data)
    if plan is None and isinstance(data, Study):
        plan = data.plan
    table = data.table if isinstance(data, Study) else data.data if isinstance(data, CITest | Score) else data
    question = question.without_table if table is None else question
    return Study.of(data, question.put(plan, keywords), target=target)
