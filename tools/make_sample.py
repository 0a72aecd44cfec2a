"""Make the packaged sample table: 4,000 invented customers of a telephone company, drawn from a known network.

    python tools/make_sample.py

The truth, which the demonstration is expected to find:

    region -> outages -> satisfaction <- price_rise        age -> contract -> churn <- satisfaction
    outages -> support_calls                               churn -> winback_offer
    satisfaction -> referral
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SAMPLE = Path(__file__).parents[1] / "src" / "elcs" / "data" / "customers.csv.gz"
N_ROWS = 4000


def draw(
    rng: np.random.Generator,
    levels: Sequence[str],
    odds: Mapping[tuple[str, ...], Sequence[float]],
    *parents: NDArray[np.str_],
) -> NDArray[np.str_]:
    """Draw a variable given its parents, from a table of probabilities."""
    column = np.empty(N_ROWS, dtype="U16")
    for values, probabilities in odds.items():
        rows = np.ones(N_ROWS, dtype=bool)
        for parent, value in zip(parents, values, strict=True):
            rows &= parent == value
        column[rows] = rng.choice(levels, size=rows.sum(), p=probabilities)
    return column


def customers(rng: np.random.Generator) -> dict[str, NDArray[np.str_]]:
    """Draw all the variables, causes before effects."""
    yes_no = ("no", "yes")
    region = draw(rng, ("coast", "hills", "plain"), {(): (0.3, 0.25, 0.45)})
    age = draw(rng, ("18-34", "35-54", "55+"), {(): (0.35, 0.4, 0.25)})
    price_rise = draw(rng, yes_no, {(): (0.65, 0.35)})
    outages = draw(
        rng,
        ("few", "many", "none"),
        {("coast",): (0.35, 0.15, 0.5), ("hills",): (0.35, 0.45, 0.2), ("plain",): (0.25, 0.05, 0.7)},
        region,
    )
    contract = draw(
        rng,
        ("monthly", "yearly"),
        {("18-34",): (0.75, 0.25), ("35-54",): (0.45, 0.55), ("55+",): (0.2, 0.8)},
        age,
    )
    satisfaction = draw(
        rng,
        ("high", "low", "medium"),
        {
            ("none", "no"): (0.7, 0.05, 0.25),
            ("none", "yes"): (0.35, 0.2, 0.45),
            ("few", "no"): (0.45, 0.15, 0.4),
            ("few", "yes"): (0.15, 0.45, 0.4),
            ("many", "no"): (0.15, 0.5, 0.35),
            ("many", "yes"): (0.05, 0.8, 0.15),
        },
        outages,
        price_rise,
    )
    support_calls = draw(
        rng,
        ("0", "1", "2+"),
        {("none",): (0.8, 0.15, 0.05), ("few",): (0.45, 0.35, 0.2), ("many",): (0.15, 0.35, 0.5)},
        outages,
    )
    churn = draw(
        rng,
        yes_no,
        {
            ("high", "monthly"): (0.9, 0.1),
            ("high", "yearly"): (0.97, 0.03),
            ("medium", "monthly"): (0.7, 0.3),
            ("medium", "yearly"): (0.92, 0.08),
            ("low", "monthly"): (0.35, 0.65),
            ("low", "yearly"): (0.8, 0.2),
        },
        satisfaction,
        contract,
    )
    referral = draw(
        rng,
        yes_no,
        {("high",): (0.55, 0.45), ("medium",): (0.85, 0.15), ("low",): (0.96, 0.04)},
        satisfaction,
    )
    winback_offer = draw(rng, yes_no, {("no",): (0.97, 0.03), ("yes",): (0.3, 0.7)}, churn)
    return {
        "region": region,
        "age": age,
        "contract": contract,
        "price_rise": price_rise,
        "outages": outages,
        "support_calls": support_calls,
        "satisfaction": satisfaction,
        "referral": referral,
        "churn": churn,
        "winback_offer": winback_offer,
    }


def main() -> None:
    """Write the table; the same bytes every time."""
    table = customers(np.random.default_rng(20))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    with SAMPLE.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(text.getvalue().encode())


if __name__ == "__main__":
    main()
