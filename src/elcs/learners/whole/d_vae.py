"""D-VAE: the whole graph, by optimising the score in the latent space of an autoencoder of graphs.

M. Zhang, S. Jiang, Z. Cui, R. Garnett and Y. Chen (2019), D-VAE: a variational autoencoder for directed acyclic graphs,
Advances in Neural Information Processing Systems 32. An autoencoder is trained on random acyclic graphs, so that each
is a point in a space of few dimensions, and each point a graph. A model of the score over that space is then fitted,
and points where a better score is to be expected are decoded, scored, and added to what is known: Bayesian
optimisation.

Guarantee: the output has no cycles, scores no less than the network without edges (or with the required arcs alone) and
no less than any graph that was scored on the way, and equal seeds give equal graphs on the same machine. Nothing else.
It is here to be compared.
Cost: `graphs` graphs to train on, each scored once; `rounds` times 50 more; and thousands of steps of Adam.

Differences from the paper. There, messages are passed along the graph in the order of its nodes, and the decoder adds
one node after the other. Here the encoder reads the arcs of the graph as a row of numbers; the decoder gives each
variable a place and each pair a chance, and an arc points from the earlier place to the later, so that whatever is
decoded has no cycles. The model of the score is a Gaussian process with one length for all dimensions, on the best and
the latest points, and the next points are those of the highest expected improvement among random ones near the best.
All three parts are much smaller. What is decoded is pruned: arcs go that the score is better off without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elcs.learners.notes import Whole
from elcs.learners.steps.drawn_graphs import Graph, Scored, alone, load_torch
from elcs.scores.score import Score

__all__ = ["d_vae"]

LATENT, HIDDEN = 8, 64
LEARNING_RATE = 3e-3
PER_ROUND = 50
MOST_POINTS = 300
"""So many points the Gaussian process is fitted to."""

Points = NDArray[np.float64]


def d_vae(
    score: Score, notes: Whole, *, graphs: int = 1000, steps: int = 1500, rounds: int = 10, seed: int = 0
) -> None:
    """Learn the whole graph; needs PyTorch.

    Parameters
    ----------
    score : Score
        Says how good a family is.
    notes : Whole
        What to fill in.
    graphs : int
        Random graphs to train the autoencoder on.
    steps : int
        Steps of Adam.
    rounds : int
        Rounds of Bayesian optimisation.
    seed : int
        Decides the graphs, the first weights and the points tried; the generator of PyTorch is left as it was.
    """
    torch = load_torch("d-vae")
    rng = np.random.default_rng(seed)
    scored = Scored(score, notes)
    try:
        with alone(torch, seed):
            made = [_random_graph(scored, rng) for _ in range(graphs)]
            heights = [scored.keep(graph) for graph in made]
            model = Autoencoder(torch, np.stack(made), score.budget.check_time)
            model.train(steps)
            points = model.encode(np.stack(made))
            for _ in range(rounds):
                new = _promising(points, np.array(heights), rng)
                for graph in model.decode(new):
                    heights.append(scored.keep(scored.pruned(_obeying(scored, graph))))
                points = np.concatenate([points, new])
    finally:  # a search that is stopped leaves the best graph so far
        scored.draw()
    notes.graph.settled.update(notes.variables)


class Autoencoder:
    """Graphs to points and back.

    Parameters
    ----------
    torch : module
        PyTorch.
    graphs : array
        Acyclic graphs to train on.
    breathe : callable
        Called in every step; may raise an error.
    """

    def __init__(self, torch: Any, graphs: NDArray[np.int8], breathe: Any) -> None:
        self.torch, self.breathe = torch, breathe
        self.n = n = graphs.shape[1]
        self.graphs = torch.from_numpy(graphs.astype(np.float32))
        nn = torch.nn
        self.encoder = nn.Sequential(nn.Linear(n * n, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2 * LATENT))
        self.decoder = nn.Sequential(nn.Linear(LATENT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, n + n * n))
        self.adam = torch.optim.Adam([*self.encoder.parameters(), *self.decoder.parameters()], lr=LEARNING_RATE)

    def train(self, steps: int) -> None:
        """Maximise the evidence lower bound."""
        torch = self.torch
        for _ in range(steps):
            self.breathe()
            batch = self.graphs[torch.randint(len(self.graphs), (64,))]
            mean, log_variance = self.encoder(batch.flatten(1)).chunk(2, dim=1)
            z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
            chance = self.chances(z)
            missed = torch.nn.functional.binary_cross_entropy(chance, batch, reduction="none").sum((1, 2))
            far = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum(1)
            self.adam.zero_grad()
            (missed + 0.05 * far).mean().backward()
            self.adam.step()

    def chances(self, z: Any) -> Any:
        """Return the chance of each arc: that of the pair, times that of the one coming before the other."""
        torch, n = self.torch, self.n
        out = self.decoder(z)
        places, pairs = out[:, :n], out[:, n:].reshape(-1, n, n)
        pair = torch.sigmoid(pairs + pairs.transpose(1, 2))
        before = torch.sigmoid(5 * (places[:, None, :] - places[:, :, None]))
        return (pair * before * (1 - torch.eye(n))).clamp(1e-6, 1 - 1e-6)

    def encode(self, graphs: NDArray[np.int8]) -> Points:
        """Return the point of each graph."""
        with self.torch.no_grad():
            out = self.encoder(self.torch.from_numpy(graphs.astype(np.float32)).flatten(1))
        points: Points = out[:, :LATENT].numpy().astype(np.float64)
        return points

    def decode(self, points: Points) -> NDArray[np.int8]:
        """Return the graph of each point: the arcs that are more likely than not, from earlier to later places."""
        with self.torch.no_grad():
            chance = self.chances(self.torch.from_numpy(points.astype(np.float32)))
            places = self.decoder(self.torch.from_numpy(points.astype(np.float32)))[:, : self.n]
        likely = (chance + chance.transpose(1, 2)).numpy() > 0.5
        # Places that tie would let both arcs of a pair in, so ranks are compared.
        rank = places.numpy().argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
        graphs: NDArray[np.int8] = (likely & (rank[:, :, None] < rank[:, None, :])).astype(np.int8)
        return graphs


def _random_graph(scored: Scored, rng: np.random.Generator) -> Graph:
    """Draw an acyclic graph that obeys what is known."""
    n = len(scored.names)
    order, share = rng.permutation(n), rng.uniform(0.05, 0.5)
    rank = np.argsort(order)
    drawn = (rng.random((n, n)) < share) & (rank[:, None] < rank[None, :])
    return _obeying(scored, drawn.astype(np.int8))


def _obeying(scored: Scored, graph: Graph) -> Graph:
    """Return the arcs that are permitted, on top of the required ones, as far as they close no circle with these."""
    if not scored.required.any():
        return np.where(scored.permitted, graph, np.int8(0))
    made: Graph = scored.required.astype(np.int8)
    for i, j in np.argwhere(graph & scored.permitted & ~scored.required):
        if not _leads(made, j, i):
            made[i, j] = 1
    return made


def _leads(graph: Graph, start: int, end: int) -> bool:
    reached = np.zeros(len(graph), dtype=bool)
    reached[start] = True
    for _ in graph:
        reached |= graph[reached].any(axis=0)
    return bool(reached[end])


def _promising(points: Points, heights: NDArray[np.float64], rng: np.random.Generator) -> Points:
    """Return points of the highest expected improvement, by a Gaussian process."""
    from scipy.linalg import cho_factor, cho_solve
    from scipy.stats import norm

    ranked = np.argsort(-heights, kind="stable")
    used = np.unique(np.concatenate([ranked[: MOST_POINTS // 2], np.arange(len(heights))[-MOST_POINTS // 2 :]]))
    x, raw = points[used], heights[used]
    y = (raw - raw.mean()) / (raw.std() + 1e-9)
    spread = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    length = float(np.median(spread[spread > 0])) if (spread > 0).any() else 1.0
    factor = cho_factor(np.exp(-0.5 * (spread / length) ** 2) + 0.05 * np.eye(len(x)))
    best = points[ranked[:PER_ROUND]]
    tried = np.concatenate([best[rng.integers(len(best), size=1500)], rng.normal(size=(500, LATENT))])
    tried[:1500] += rng.normal(scale=0.3 * length, size=(1500, LATENT))
    across = np.exp(-0.5 * ((tried[:, None] - x[None]) ** 2).sum(-1) / length**2)
    mean = across @ cho_solve(factor, y)
    variance = np.maximum(1.05 - np.einsum("ij,ji->i", across, cho_solve(factor, across.T)), 1e-9)
    z = (mean - y.max()) / np.sqrt(variance)
    improvement = np.sqrt(variance) * (z * norm.cdf(z) + norm.pdf(z))
    found: Points = tried[np.argsort(-improvement, kind="stable")[:PER_ROUND]]
    return found
