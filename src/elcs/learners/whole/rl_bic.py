"""RL-BIC: the whole graph, by a policy that learns to propose graphs which score well.

S. Zhu, I. Ng and Z. Chen (2020), Causal discovery with reinforcement learning, International Conference on Learning
Representations. A policy draws graphs; their reward is the score, less a penalty for cycles: one amount if there is
any, and another for how cyclic the graph is. The policy is trained by policy gradients (REINFORCE) against a baseline,
with a bonus for entropy. The penalties grow as training goes on. The answer is the acyclic graph with the highest score
of all that were ever drawn, after arcs have been pruned that the score is better off without.

Guarantee: the output has no cycles, scores no less than the network without edges (or with the required arcs alone),
and equal seeds give equal graphs on the same machine. Nothing else. It is here to be compared.
Cost: `steps` times `batch_size` graphs, n scores each, most of them remembered. By default it looks at 16,000 graphs;
six variables have 3.8 million acyclic ones, ten have 4e18.

Differences from the paper. The policy there is a transformer that reads rows of the table, and a decoder that gives the
chance of every arc. As only one table is ever read, the policy here is a table of its own: one number for each arc, the
logit of its chance, learnt by Adam. The critic is a moving average of the rewards, as for large graphs in the paper's
code. How cyclic a graph is, is tr((I + A/n)^n) - n, where the paper has tr(exp(A)) - n; both are 0 for the same graphs.
Any score of this package is the reward (BIC is `score="bic"`). Pruning is by the score instead of a regression.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elcs.learners.notes import Whole
from elcs.learners.steps.drawn_graphs import Scored, alone, load_torch
from elcs.scores.score import Score

__all__ = ["rl_bic"]

LEARNING_RATE = 0.05
TINY = 1e-9
ENTROPY = 0.02
FIRST_CHANCE = 0.2
"""Of each arc, before anything is learnt."""


def rl_bic(score: Score, notes: Whole, *, steps: int = 250, batch_size: int = 64, seed: int = 0) -> None:
    """Learn the whole graph; needs PyTorch.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    notes : Whole
        What to fill in.
    steps : int
        Steps of Adam.
    batch_size : int
        Graphs drawn in each step.
    seed : int
        Decides which graphs are drawn; the generator of PyTorch is left as it was.
    """
    torch = load_torch("rl-bic")
    scored = Scored(score, notes)
    free = torch.from_numpy(scored.permitted & ~scored.required & ~scored.required.T)
    fixed = torch.from_numpy(scored.required.astype(np.float32))
    try:
        with alone(torch, seed):
            logits = torch.full(free.shape, float(np.log(FIRST_CHANCE / (1 - FIRST_CHANCE))), requires_grad=True)
            adam = torch.optim.Adam([logits], lr=LEARNING_RATE)
            baseline, scale = None, 1.0
            for step in range(steps):
                chances = torch.distributions.Bernoulli(logits=logits)
                drawn = chances.sample((batch_size,)) * free + fixed
                strictness = (step + 1) / steps
                rewards = torch.tensor(_rewards(scored, drawn.numpy().astype(np.int8), strictness))
                if baseline is None:
                    baseline, scale = rewards.mean(), float(rewards.std()) + 1e-6
                advantage = (rewards - baseline) / scale
                baseline = 0.9 * baseline + 0.1 * rewards.mean()
                likelihood = (chances.log_prob(drawn - fixed) * free).sum((1, 2))
                entropy = (chances.entropy() * free).sum()
                adam.zero_grad()
                (-(advantage * likelihood).mean() - ENTROPY * entropy).backward()
                adam.step()
            scored.keep(scored.pruned(scored.best))
    finally:  # a search that is stopped leaves the best graph so far
        scored.draw()
    notes.graph.settled.update(notes.variables)


def _rewards(scored: Scored, graphs: NDArray[np.int8], strictness: float) -> list[float]:
    """Return what the score gains over the first graph, less the penalties for cycles, which grow with strictness."""
    n = graphs.shape[1]
    walks = np.linalg.matrix_power(np.eye(n) + graphs / n, n)
    cyclic = np.log1p(np.maximum(np.trace(walks, axis1=1, axis2=2) - n, 0.0)).tolist()
    found = []
    for graph, cycles in zip(graphs, cyclic, strict=True):
        if cycles < TINY:
            found.append(scored.keep(graph) - scored.first)
            continue
        # Of a cyclic graph the sum over families may be far too good: it is never worth more than the best acyclic one.
        worth = min(scored.of(graph), scored.height) - scored.first
        found.append(worth - strictness * (0.02 * abs(scored.first) + 5.0 * cycles))
    return found
