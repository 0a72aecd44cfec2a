"""The learners by name."""

from __future__ import annotations

import difflib
import importlib.util
import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

from elcs.errors import ElcsError
from elcs.learners.blankets.bamb import bamb
from elcs.learners.blankets.ccmb import ccmb
from elcs.learners.blankets.emb import emb
from elcs.learners.blankets.emb_exact import emb_exact
from elcs.learners.blankets.grow_shrink import grow_shrink
from elcs.learners.blankets.hiton_mb import hiton_mb
from elcs.learners.blankets.iamb import fast_iamb, iamb, inter_iamb
from elcs.learners.blankets.inside_elcs import distinguished
from elcs.learners.blankets.mmmb import mmmb
from elcs.learners.blankets.pcmb import pcmb
from elcs.learners.blankets.s2tmb import s2tmb
from elcs.learners.blankets.sll import sll
from elcs.learners.blankets.stmb import stmb
from elcs.learners.local.cmb import cmb
from elcs.learners.local.elcs import elcs
from elcs.learners.local.elcs_exact import elcs_exact
from elcs.learners.local.elcs_hybrid import elcs_hybrid
from elcs.learners.local.ldecc import ldecc
from elcs.learners.local.mb_by_mb import mb_by_mb
from elcs.learners.local.pcd_by_pcd import pcd_by_pcd
from elcs.learners.local.psl import psl
from elcs.learners.pc.hiton_pc import hiton_pc
from elcs.learners.pc.mmpc import mmpc
from elcs.learners.whole.d_vae import d_vae
from elcs.learners.whole.dag_gnn import dag_gnn
from elcs.learners.whole.elcs_global import elcs_global
from elcs.learners.whole.elcs_hybrid import elcs_hybrid_whole
from elcs.learners.whole.from_blankets import s2tmb_c, s2tmb_g, sll_c, sll_g
from elcs.learners.whole.ges import ges
from elcs.learners.whole.ggsl import ggsl
from elcs.learners.whole.gsbn import gsbn
from elcs.learners.whole.mmhc import mmhc
from elcs.learners.whole.notears import notears
from elcs.learners.whole.pc_stable import pc_stable
from elcs.learners.whole.rl_bic import rl_bic
from elcs.markup import note, note_table

__all__ = ["FINDS", "Method", "Methods", "find", "methods", "register"]

Kind = Literal["pc", "blanket", "local", "whole"]
Asks = Literal["tests", "scores", "tests and scores", "numbers"]

_ELCS = "Yang et al. (2022), IEEE Transactions on Big Data 8(6)"
_HITON = "Aliferis et al. (2010), Journal of Machine Learning Research 11"
_IAMB = "Tsamardinos, Aliferis & Statnikov (2003), FLAIRS 16"
_S2TMB = "Gao & Ji (2017), IJAR 80"
_SLL = "Niinimäki & Parviainen (2012), UAI 28"
_MMPC = "Tsamardinos, Brown & Aliferis (2006), Machine Learning 65(1)"


@dataclass(frozen=True)
class Method:
    """A learner, and what there is to say about it.

    Attributes
    ----------
    name : str
        What users call it.
    kind : {"pc", "blanket", "local", "whole"}
        Whether it finds parents and children, a Markov blanket, a local causal structure, or the whole graph; "global"
        is read as "whole".
    learn : callable
        ``learn(asked, notes, *, max_cond_size)`` fills in the notes: a `Blanket`, a `Local` for a local learner, or a
        `Whole` for a learner of whole graphs. Its other keywords are the options of the method.
    summary : str
        What it is, in a line.
    citation : str
        Where it was published.
    asks : {"tests", "scores", "tests and scores", "numbers"}
        What it is given to ask: a `CITest`; a `Score`; a `CITest` and, as its keyword ``score``, a `Score`; or
        `Numbers`.
    needs : str
        The other package that it needs, if any, by the name it is imported under.
    obeys : bool
        Whether it obeys what is known beforehand (`Knowledge`, in the notes); if not, knowledge is refused.
    whole : callable, optional
        Of a local learner that has a form for whole graphs too, that form; it may have options of its own.
    ess : float
        The prior of `BDeu`, in rows, if the method is given that score by name or by default.
    """

    name: str
    kind: Kind
    learn: Callable[..., None]
    summary: str
    citation: str = ""
    asks: Asks = "tests"
    needs: str = ""
    obeys: bool = True
    whole: Callable[..., None] | None = None
    ess: float = 1.0

    def __post_init__(self) -> None:
        if self.kind == "global":  # type: ignore[comparison-overlap]  # its former name
            object.__setattr__(self, "kind", "whole")

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        """All keywords of the learner."""
        return _keywords(self.learn)

    def for_whole(self) -> Method:
        """Return the form of the method that learns whole graphs."""
        return self if self.whole is None else replace(self, kind="whole", learn=self.whole, whole=None)

    def is_of(self, kinds: Collection[Kind]) -> bool:
        """Tell whether it is of one of these kinds, or has a form that is."""
        return self.kind in kinds or (self.whole is not None and "whole" in kinds)

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The keywords of the learner, in either of its forms, that are options of the method."""
        both = dict.fromkeys((*self.keywords, *(() if self.whole is None else _keywords(self.whole))))
        return tuple(name for name in both if name not in ("max_cond_size", "score", "depth"))

    def uses(self, what: Literal["tests", "scores"]) -> bool:
        """Tell whether it asks for tests, or for scores."""
        return what in self.asks  # as a part of the words

    @cached_property
    def without_effect(self) -> frozenset[str]:
        """The fields of a plan about tests, scores, sets and knowledge that have no effect on it."""
        idle = [] if self.uses("tests") else ["alpha", "ci_test"]
        idle += [] if self.uses("scores") else ["score"]
        idle += [] if self.obeys else ["knowledge"]
        idle += [] if self.kind == "whole" or "depth" in self.keywords else ["depth"]
        return frozenset(idle + ([] if "max_cond_size" in self.keywords else ["max_cond_size"]))

    @property
    def installed(self) -> bool:
        """Whether what it needs is installed."""
        try:
            return not self.needs or importlib.util.find_spec(self.needs) is not None
        except ValueError:  # its import has been blocked
            return False


_METHODS: dict[str, Method] = {}


def register(method: Method) -> None:
    """Make a learner available by name.

    Examples
    --------
    >>> import elcs
    >>> def everything(ci, notes, *, max_cond_size=3):
    ...     notes.pc.extend(x for x in ci.variables if x != notes.target)
    ...     notes.done = True
    >>> elcs.register(elcs.Method("everything", "pc", everything, "takes all variables for neighbours"))
    >>> elcs.blanket({"a": [0, 1] * 50, "b": [0, 0, 1] * 33 + [1]}, "a", method="everything").neighbours
    ('b',)
    """
    _METHODS[method.name] = method


FINDS = {"pc": "neighbours", "blanket": "blanket", "local": "causes and effects", "whole": "the whole graph"}
"""What each kind of learner finds."""


class Methods(tuple[Method, ...]):
    """Some learners; a notebook shows them as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = [(method.name, FINDS[method.kind], method.summary, method.citation) for method in self]
        return note(note_table(("method", "finds", "what it is", "citation"), rows))


def methods() -> Methods:
    """Return all learners, in the order in which they were registered."""
    return Methods(_METHODS.values())


def find(name: str, *kinds: Kind) -> Method:
    """Return the learner of this name, which must be of one of these kinds, or of any if none is named."""
    return find_all([name], *kinds)[0]


def find_all(asked: Collection[str], *kinds: Kind) -> list[Method]:
    """Return the learners of these names; all that are unknown are named in one error."""
    names = [m.name for m in _METHODS.values() if not kinds or m.is_of(kinds)]
    unknown = [name for name in asked if name not in _METHODS]
    if unknown:
        near = [close for name in unknown for close in difflib.get_close_matches(str(name), names, n=1)]
        hint = f"did you mean {', '.join(map(repr, near))}? The" if near else "the"
        no = "is no method" if len(unknown) == 1 else "are no methods"
        raise ElcsError(f"there {no} {', '.join(map(repr, unknown))}; {hint} methods are {', '.join(names)}")
    found = [_METHODS[name] for name in asked]
    unfit = [f"{m.name!r} is a {m.kind} learner" for m in found if m.name not in names]
    if unfit:
        raise ElcsError(f"{', '.join(unfit)}; here one of these is needed: {', '.join(names)}")
    return found


def _keywords(learn: Callable[..., None]) -> tuple[str, ...]:
    return tuple(name for name, p in inspect.signature(learn).parameters.items() if p.kind is p.KEYWORD_ONLY)


def _inside(learn: Callable[..., None]) -> Callable[..., None]:
    """Put another blanket learner in place of EMB in ELCS."""
    return partial(elcs, blanket=partial(distinguished, learn=learn))


for _method in (
    Method("elcs-exact", "local", elcs_exact, "ELCS made exact: the edges that observations determine", _ELCS),
    Method(
        "elcs-cautious",
        "local",
        partial(elcs_exact, cautious=True),
        "ELCS-exact with fewer false directions, for more tests",
        _ELCS,
    ),
    Method(
        "elcs-hybrid",
        "local",
        elcs_hybrid,
        "tests propose, a score arranges; only decided directions",
        asks="tests and scores",
        whole=elcs_hybrid_whole,
        ess=5.0,
    ),
    Method("elcs", "local", elcs, "ELCS as published", _ELCS),
    Method("elcs-ii", "local", partial(elcs, blanket=partial(emb, ranked=True)), "ELCS with EMB-II inside", _ELCS),
    Method(
        "elcs-no-n",
        "local",
        partial(elcs, blanket=partial(emb, n_structures=False)),
        "ELCS without N-structures",
        _ELCS,
    ),
    Method("elcs-m", "local", _inside(mmmb), "ELCS with MMMB inside", _ELCS),
    Method("elcs-s", "local", _inside(stmb), "ELCS with STMB inside", _ELCS),
    Method("elcs-b", "local", _inside(bamb), "ELCS with BAMB inside", _ELCS),
    Method("pcd-by-pcd", "local", pcd_by_pcd, "one PCD set after the other", "Yin et al. (2008), JMLR W&CP 3"),
    Method("cmb", "local", cmb, "causal Markov blanket", "Gao & Ji (2015), NIPS 28"),
    Method("mb-by-mb", "local", mb_by_mb, "one Markov blanket after the other", "Wang et al. (2014), CSDA 77"),
    Method("ldecc", "local", ldecc, "eager collider checks", "Gupta, Childers & Lipton (2023), CLeaR 2"),
    Method("psl", "local", psl, "any part of the graph", "Ling et al. (2021), arXiv 2103.13810"),
    Method("elcs-global", "whole", elcs_global, "the neighbourhoods of all variables, put together", _ELCS),
    Method("gsbn", "whole", gsbn, "the Grow-Shrink blankets of all variables", "Margaritis & Thrun (1999), NIPS 12"),
    Method(
        "pc-stable", "whole", pc_stable, "PC, whatever the order of the columns", "Colombo & Maathuis (2014), JMLR 15"
    ),
    Method("mmhc", "whole", mmhc, "max-min skeleton, then hill-climbing", _MMPC, "tests and scores"),
    Method("sll-c", "whole", sll_c, "SLL for every variable, then v-structures", _SLL, "scores"),
    Method("sll-g", "whole", sll_g, "SLL for every variable, then hill-climbing", _SLL, "scores"),
    Method("s2tmb-c", "whole", s2tmb_c, "S2TMB for every variable, then v-structures", _S2TMB, "scores"),
    Method("s2tmb-g", "whole", s2tmb_g, "S2TMB for every variable, then hill-climbing", _S2TMB, "scores"),
    Method(
        "ggsl", "whole", ggsl, "grown from one variable, by scores", "Gao, Fadnis & Campbell (2017), ICML 34", "scores"
    ),
    Method("ges", "whole", ges, "greedy search among equivalence classes", "Chickering (2002), JMLR 3", "scores"),
    Method(
        "notears", "whole", notears, "continuous optimisation, linear", "Zheng et al. (2018), NeurIPS 31", "numbers"
    ),
    Method(
        "dag-gnn",
        "whole",
        dag_gnn,
        "continuous optimisation, an autoencoder",
        "Yu et al. (2019), ICML 36",
        "numbers",
        needs="torch",
    ),
    Method(
        "rl-bic",
        "whole",
        rl_bic,
        "a policy learns to draw graphs that score well",
        "Zhu, Ng & Chen (2020), ICLR 8",
        "scores",
        needs="torch",
    ),
    Method(
        "d-vae",
        "whole",
        d_vae,
        "the score optimised in the latent space of graphs",
        "Zhang et al. (2019), NeurIPS 32",
        "scores",
        needs="torch",
    ),
    Method("emb-exact", "blanket", emb_exact, "EMB made exact", _ELCS),
    Method("emb", "blanket", emb, "EMB as published", _ELCS),
    Method("emb-ii", "blanket", partial(emb, ranked=True), "EMB with spouses in the order of their strength", _ELCS),
    Method("gs", "blanket", grow_shrink, "Grow-Shrink", "Margaritis & Thrun (1999), NIPS 12"),
    Method("iamb", "blanket", iamb, "incremental association", _IAMB),
    Method("inter-iamb", "blanket", inter_iamb, "IAMB that shrinks after each addition", _IAMB),
    Method(
        "fast-iamb", "blanket", fast_iamb, "IAMB that adds several at a time", "Yaramakala & Margaritis (2005), ICDM 5"
    ),
    Method("mmmb", "blanket", mmmb, "MMPC for the target and its neighbours", "Tsamardinos et al. (2003), KDD 9"),
    Method("hiton-mb", "blanket", hiton_mb, "HITON-PC for the target and its neighbours", _HITON),
    Method("pcmb", "blanket", pcmb, "GetPC for the target and its neighbours", "Pena et al. (2007), IJAR 45(2)"),
    Method(
        "stmb",
        "blanket",
        stmb,
        "spouses and false neighbours at once",
        "Gao & Ji (2017), IEEE Trans. Cybernetics 47(5)",
    ),
    Method("bamb", "blanket", bamb, "neighbours and spouses in turns", "Ling et al. (2019), ACM TIST 10(5)"),
    Method("ccmb", "blanket", ccmb, "cross-check and complement", "Wu et al. (2020), IEEE Trans. Cybernetics 50(12)"),
    Method("sll", "blanket", sll, "optimal networks over growing sets", _SLL, "scores"),
    Method("s2tmb", "blanket", s2tmb, "simultaneous, by scores", _S2TMB, "scores"),
    Method("hiton-pc", "pc", hiton_pc, "inclusion and elimination, interleaved", _HITON),
    Method("mmpc", "pc", mmpc, "the max-min heuristic", _MMPC),
):
    register(_method)
