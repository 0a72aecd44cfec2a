from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from elcs.errors import BudgetError

Record = TypeVar("Record", bound=tuple[float, int, bool, bool, int, int])

class OutOfBudgetError(BudgetError): ...

def available_cpus() -> list[str]: ...
def cpu() -> str: ...
def distinct(
    codes: Sequence[NDArray[Any]], widths: Sequence[int], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def encode(
    positions: dict[str, int], queries: list[tuple[str, str, Sequence[str]]]
) -> tuple[NDArray[np.int32], int]: ...
def decode(
    type: type[Record],
    statistic: NDArray[np.float64],
    dof: NDArray[np.int64],
    verdict: NDArray[np.int8],
    rows: NDArray[np.int64] | int,
    best_of: NDArray[np.int8] | int,
) -> list[Record]: ...

class Budget:
    def __init__(self, tests: int | None = None, seconds: float | None = None) -> None: ...
    def spend(self) -> None: ...
    def check_time(self) -> None: ...
    @property
    def limited(self) -> bool: ...
    @property
    def tests_left(self) -> int | None: ...
    @property
    def seconds_left(self) -> float | None: ...

class Table:
    def __init__(
        self,
        codes: Sequence[NDArray[np.uint8] | NDArray[np.uint16]],
        levels: Sequence[int],
        gaps: Sequence[bool],
        weights: NDArray[np.int64] | None,
        threads: int,
    ) -> None: ...
    @property
    def total(self) -> int: ...
    @property
    def cpu(self) -> str: ...
    def counts(self, variables: Sequence[int]) -> NDArray[np.int64]: ...
    def family_sum(
        self, variables: Sequence[int], of_cells: NDArray[np.float64], of_configurations: NDArray[np.float64]
    ) -> float: ...

class Gram:
    def __init__(
        self,
        features: Sequence[tuple[NDArray[Any], int, float, float, int]],
        columns: Sequence[Sequence[Sequence[int]]],
        missing: Sequence[NDArray[np.uint8] | None],
        weights: NDArray[np.int64] | None,
        threads: int,
    ) -> None: ...

class Blocks:
    @staticmethod
    def of(
        gram: Gram,
        *,
        shares: Sequence[Sequence[float]],
        ranks: Sequence[int],
        few_rows: float,
        price_of_parent: float,
    ) -> Blocks: ...
    def score(self, child: int, parents: Sequence[int]) -> float: ...

class Families:
    @staticmethod
    def counted(
        table: Table, *, ess: float, price: float, ranks: Sequence[int], among: int, cache_size: int
    ) -> Families: ...
    @staticmethod
    def blocks(blocks: Blocks, *, cache_size: int) -> Families: ...
    @staticmethod
    def foreign(
        n_variables: int,
        scores: Callable[[int, Sequence[int], Sequence[int]], Sequence[float]],
        *,
        levels: Sequence[float] = ...,
        total: float = ...,
        cache_size: int,
    ) -> Families: ...
    budget: Budget
    @property
    def asked(self) -> int: ...
    @property
    def computed(self) -> int: ...
    def scores(self, child: int, parents: Sequence[Sequence[int]]) -> list[float]: ...
    def with_each(self, child: int, base: Sequence[int], others: Sequence[int]) -> list[float]: ...
    def gains(self, child: int, base: Sequence[int], others: Sequence[int]) -> list[float]: ...
    def clear_cache(self) -> None: ...

def compelled(parents: Sequence[Sequence[int]]) -> list[list[bool]]: ...

class Arrangement:
    @staticmethod
    def of(
        families: Families,
        variables: Sequence[int],
        pairs: Sequence[tuple[int, int]],
        *,
        price: float,
        price_far: float,
        arcs: Sequence[int],
        seed: int,
    ) -> Arrangement: ...
    @property
    def network(self) -> list[list[int]]: ...
    @property
    def compelled(self) -> list[tuple[int, int]]: ...
    @property
    def total(self) -> float: ...
    @property
    def pairs(self) -> list[tuple[int, int]]: ...
    def stir(self, times: int) -> None: ...
    def expand(self) -> int: ...
    def deepen(self) -> float: ...
    def widen(self, at: Sequence[int]) -> int: ...
    def margin(self, arcs: Sequence[tuple[int, int]], kicks: int) -> float: ...

class Tester:
    @staticmethod
    def counting(
        table: Table,
        *,
        pearson: bool,
        rows_per_cell: float,
        critical: Callable[[int], float],
        cache_size: int,
    ) -> Tester: ...
    @staticmethod
    def gram(
        gram: Gram,
        *,
        form: str,
        products: bool,
        critical: Callable[[int], float],
        critical_of_two: Callable[[int], float],
        cache_size: int,
    ) -> Tester: ...
    budget: Budget
    @property
    def asked(self) -> int: ...
    @property
    def computed(self) -> int: ...
    @property
    def unreliable(self) -> int: ...
    def test(self, x: int, y: int, given: Sequence[int]) -> tuple[float, int, int, int, int]: ...
    def test_many(
        self, questions: NDArray[np.int32], skip_unreliable: bool
    ) -> tuple[
        NDArray[np.float64], NDArray[np.int64], NDArray[np.int8], NDArray[np.int64] | int, NDArray[np.int8] | int
    ]: ...
    def independent(self, x: int, y: int, given: Sequence[int]) -> bool: ...
    def association(self, x: int, y: int, given: Sequence[int]) -> float: ...
    def correlation(self, x: int, y: int, given: Sequence[int]) -> float | None: ...
    def separator(
        self, x: int, y: int, among: Sequence[int], sizes: Sequence[int], containing: Sequence[int]
    ) -> list[int] | None: ...
    def clear_cache(self) -> None: ...
