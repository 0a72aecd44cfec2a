"""The learners by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection

from elcs.errors import ElcsError
from elcs.learners.later import Later
from elcs.learners.method import Kind, Method
from elcs.markup import note, note_table

__all__ = ["FINDS", "Method", "Methods", "find", "methods", "register"]


# Papers, by the method that each is about first.
_BAMB = "Ling et al. (2019), ACM TIST 10(5)"
_CCMB = "Wu et al. (2020), IEEE Trans. Cybernetics 50(12)"
_CMB = "Gao & Ji (2015), NIPS 28"
_DAG_GNN = "Yu et al. (2019), ICML 36"
_D_VAE = "Zhang et al. (2019), NeurIPS 32"
_ELCS = "Yang et al. (2022), IEEE Transactions on Big Data 8(6)"
_FAST_IAMB = "Yaramakala & Margaritis (2005), ICDM 5"
_GES = "Chickering (2002), JMLR 3"
_GGSL = "Gao, Fadnis & Campbell (2017), ICML 34"
_GS = "Margaritis & Thrun (1999), NIPS 12"
_HITON = "Aliferis et al. (2010), Journal of Machine Learning Research 11"
_IAMB = "Tsamardinos, Aliferis & Statnikov (2003), FLAIRS 16"
_LDECC = "Gupta, Childers & Lipton (2023), CLeaR 2"
_MB_BY_MB = "Wang et al. (2014), CSDA 77"
_MMMB = "Tsamardinos et al. (2003), KDD 9"
_MMPC = "Tsamardinos, Brown & Aliferis (2006), Machine Learning 65(1)"
_NOTEARS = "Zheng et al. (2018), NeurIPS 31"
_PC = "Colombo & Maathuis (2014), JMLR 15"
_PCD = "Yin et al. (2008), JMLR W&CP 3"
_PCMB = "Pena et al. (2007), IJAR 45(2)"
_PSL = "Ling et al. (2021), arXiv 2103.13810"
_RL_BIC = "Zhu, Ng & Chen (2020), ICLR 8"
_S2TMB = "Gao & Ji (2017), IJAR 80"
_SLL = "Niinimäki & Parviainen (2012), UAI 28"
_STMB = "Gao & Ji (2017), IEEE Trans. Cybernetics 47(5)"


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


def _inside(learn: Callable[..., None]) -> Callable[..., None]:
    """Put another blanket learner in place of EMB in ELCS."""
    return Later("local.elcs", blanket=Later("blankets.inside_elcs:distinguished", learn=learn))


for _method in (
    Method(
        "elcs-exact",
        "local",
        Later("local.elcs_exact"),
        "ELCS made exact: the edges that observations determine",
        _ELCS,
    ),
    Method(
        "elcs-cautious",
        "local",
        Later("local.elcs_exact", cautious=True),
        "ELCS-exact with fewer false directions, for more tests",
        _ELCS,
    ),
    Method(
        "elcs-hybrid",
        "local",
        Later("local.elcs_hybrid"),
        "tests propose, a score arranges; only decided directions",
        asks="tests and scores",
        whole=Later("whole.elcs_hybrid:elcs_hybrid_whole"),
        ess=5.0,
    ),
    Method("elcs", "local", Later("local.elcs"), "ELCS as published", _ELCS),
    Method(
        "elcs-ii",
        "local",
        Later("local.elcs", blanket=Later("blankets.emb", ranked=True)),
        "ELCS with EMB-II inside",
        _ELCS,
    ),
    Method(
        "elcs-no-n",
        "local",
        Later("local.elcs", blanket=Later("blankets.emb", n_structures=False)),
        "ELCS without N-structures",
        _ELCS,
    ),
    Method("elcs-m", "local", _inside(Later("blankets.mmmb")), "ELCS with MMMB inside", _ELCS),
    Method("elcs-s", "local", _inside(Later("blankets.stmb")), "ELCS with STMB inside", _ELCS),
    Method("elcs-b", "local", _inside(Later("blankets.bamb")), "ELCS with BAMB inside", _ELCS),
    Method("pcd-by-pcd", "local", Later("local.pcd_by_pcd"), "one PCD set after the other", _PCD),
    Method("cmb", "local", Later("local.cmb"), "causal Markov blanket", _CMB),
    Method("mb-by-mb", "local", Later("local.mb_by_mb"), "one Markov blanket after the other", _MB_BY_MB),
    Method("ldecc", "local", Later("local.ldecc"), "eager collider checks", _LDECC),
    Method("psl", "local", Later("local.psl"), "any part of the graph", _PSL),
    Method(
        "elcs-global", "whole", Later("whole.elcs_global"), "the neighbourhoods of all variables, put together", _ELCS
    ),
    Method("gsbn", "whole", Later("whole.gsbn"), "the Grow-Shrink blankets of all variables", _GS),
    Method("pc-stable", "whole", Later("whole.pc_stable"), "PC, whatever the order of the columns", _PC),
    Method("mmhc", "whole", Later("whole.mmhc"), "max-min skeleton, then hill-climbing", _MMPC, "tests and scores"),
    Method(
        "sll-c",
        "whole",
        Later("whole.from_blankets:sll_c"),
        "SLL for every variable, then v-structures",
        _SLL,
        "scores",
    ),
    Method(
        "sll-g",
        "whole",
        Later("whole.from_blankets:sll_g"),
        "SLL for every variable, then hill-climbing",
        _SLL,
        "scores",
    ),
    Method(
        "s2tmb-c",
        "whole",
        Later("whole.from_blankets:s2tmb_c"),
        "S2TMB for every variable, then v-structures",
        _S2TMB,
        "scores",
    ),
    Method(
        "s2tmb-g",
        "whole",
        Later("whole.from_blankets:s2tmb_g"),
        "S2TMB for every variable, then hill-climbing",
        _S2TMB,
        "scores",
    ),
    Method("ggsl", "whole", Later("whole.ggsl"), "grown from one variable, by scores", _GGSL, "scores"),
    Method("ges", "whole", Later("whole.ges"), "greedy search among equivalence classes", _GES, "scores"),
    Method("notears", "whole", Later("whole.notears"), "continuous optimisation, linear", _NOTEARS, "numbers"),
    Method(
        "dag-gnn",
        "whole",
        Later("whole.dag_gnn"),
        "continuous optimisation, an autoencoder",
        _DAG_GNN,
        "numbers",
        needs="torch",
    ),
    Method(
        "rl-bic",
        "whole",
        Later("whole.rl_bic"),
        "a policy learns to draw graphs that score well",
        _RL_BIC,
        "scores",
        needs="torch",
    ),
    Method(
        "d-vae",
        "whole",
        Later("whole.d_vae"),
        "the score optimised in the latent space of graphs",
        _D_VAE,
        "scores",
        needs="torch",
    ),
    Method("emb-exact", "blanket", Later("blankets.emb_exact"), "EMB made exact", _ELCS),
    Method("emb", "blanket", Later("blankets.emb"), "EMB as published", _ELCS),
    Method(
        "emb-ii",
        "blanket",
        Later("blankets.emb", ranked=True),
        "EMB with spouses in the order of their strength",
        _ELCS,
    ),
    Method("gs", "blanket", Later("blankets.grow_shrink"), "Grow-Shrink", _GS),
    Method("iamb", "blanket", Later("blankets.iamb"), "incremental association", _IAMB),
    Method("inter-iamb", "blanket", Later("blankets.iamb:inter_iamb"), "IAMB that shrinks after each addition", _IAMB),
    Method("fast-iamb", "blanket", Later("blankets.iamb:fast_iamb"), "IAMB that adds several at a time", _FAST_IAMB),
    Method("mmmb", "blanket", Later("blankets.mmmb"), "MMPC for the target and its neighbours", _MMMB),
    Method("hiton-mb", "blanket", Later("blankets.hiton_mb"), "HITON-PC for the target and its neighbours", _HITON),
    Method("pcmb", "blanket", Later("blankets.pcmb"), "GetPC for the target and its neighbours", _PCMB),
    Method("stmb", "blanket", Later("blankets.stmb"), "spouses and false neighbours at once", _STMB),
    Method("bamb", "blanket", Later("blankets.bamb"), "neighbours and spouses in turns", _BAMB),
    Method("ccmb", "blanket", Later("blankets.ccmb"), "cross-check and complement", _CCMB),
    Method("sll", "blanket", Later("blankets.sll"), "optimal networks over growing sets", _SLL, "scores"),
    Method("s2tmb", "blanket", Later("blankets.s2tmb"), "simultaneous, by scores", _S2TMB, "scores"),
    Method("hiton-pc", "pc", Later("pc.hiton_pc"), "inclusion and elimination, interleaved", _HITON),
    Method("mmpc", "pc", Later("pc.mmpc"), "the max-min heuristic", _MMPC),
):
    register(_method)
