from __future__ import annotations

import hashlib

import numpy as np
import pytest

import elcs.networks
from elcs import DataError
from elcs.networks import Network, load
from elcs.networks.library import FOLDER, PACKAGED

PUBLISHED = {  # variables, edges, free parameters
    "alarm": (37, 46, 509),
    "asia": (8, 8, 18),
    "child": (20, 25, 230),
    "hailfinder": (56, 66, 2656),
    "insurance": (27, 52, 1008),
    "pigs": (441, 592, 5618),
    "sachs": (11, 17, 178),
    "win95pts": (76, 112, 574),
}

TABLE = {  # Yang et al. (2022), Summary of benchmark networks: ..., max in, out, min, max PC, levels
    "alarm": (37, 46, 4, 5, 1, 6, 2, 4),
    "insurance": (27, 52, 3, 7, 1, 9, 2, 5),
    "child": (20, 25, 2, 7, 1, 8, 2, 6),
    "alarm10": (370, 570, 4, 7, 1, 9, 2, 4),
    "insurance10": (270, 556, 5, 8, 1, 11, 2, 5),
    "child10": (200, 257, 2, 7, 1, 8, 2, 6),
    "pigs": (441, 592, 2, 39, 1, 41, 3, 3),
    "gene-like": (801, 972, 4, 10, 0, 11, 3, 5),
}

DIGESTS = {  # what the seeds give; a change of numpy's random numbers would show here
    "alarm10": "5f071ddf903b60d3",
    "child10": "0755e543a07f33d4",
    "insurance10": "688ead966dc34a36",
    "gene-like": "619b0525275fd00c",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_numbers_are_those_published(name: str) -> None:
    assert load(name).summary()[:3] == PUBLISHED[name]
    assert load(name).name == name


@pytest.mark.parametrize("name", TABLE)
def test_numbers_are_those_of_the_table_of_the_paper(name: str) -> None:
    n, edges, _, *rest = load(name).summary()
    assert (n, edges, *rest) == TABLE[name]


def digest(network: Network) -> str:
    numbers = np.concatenate([network.tables[v].ravel() for v in network.variables]).round(6) + 0.0
    return hashlib.sha256(repr(network.edges).encode() + numbers.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", DIGESTS)
def test_built_networks_do_not_change(name: str) -> None:
    assert digest(load(name)) == DIGESTS[name]


def test_known_probabilities() -> None:
    np.testing.assert_array_equal(load("asia").tables["smoke"], [0.5, 0.5])
    np.testing.assert_array_equal(load("asia").tables["tub"], [[0.05, 0.95], [0.01, 0.99]])
    alarm = load("alarm")
    assert alarm.parents["CATECHOL"] == ("ARTCO2", "INSUFFANESTH", "SAO2", "TPR")
    np.testing.assert_array_equal(alarm.tables["HYPOVOLEMIA"], [0.2, 0.8])


def test_names_that_are_nearly_right() -> None:
    with pytest.raises(DataError, match="there is no network 'alarn'; did you mean 'alarm'"):
        load("alarn")
    with pytest.raises(DataError, match="did you mean 'asia'"):
        load("ASIA")


def test_every_packaged_network_is_credited_and_used() -> None:
    notice = (FOLDER / "NOTICE").read_text().splitlines()
    assert all(name in notice for name in PACKAGED)
    assert {path.name.removesuffix(".bif.gz") for path in FOLDER.glob("*.bif.gz")} == set(PACKAGED)
    assert set(PACKAGED) <= set(elcs.networks.available())


def test_the_same_object_is_returned() -> None:
    assert load("asia") is load("asia")
