"""Tables that are sent to the server, if it was told to take them."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from starlette.requests import ClientDisconnect, Request

from elcs.errors import DataError
from elcs.explore.session import Session

__all__ = ["Upload"]

_ENDINGS = (".csv.gz", ".tsv.gz", ".csv", ".tsv", ".parquet")


class Upload:
    """Takes tables of a limited size, and opens them.

    Parameters
    ----------
    open_table : callable
        Opens a file that had this name where it came from.
    most : int
        The largest file, in bytes.
    """

    def __init__(self, open_table: Callable[[Path, str], Session], most: int) -> None:
        self._open, self._most = open_table, most
        self._folder = tempfile.TemporaryDirectory(prefix="elcs-")

    async def receive(self, request: Request) -> Path:
        """Keep what is sent in a file of which only the ending is taken from its name."""
        name = request.query_params.get("name", "")
        ending = next((ending for ending in _ENDINGS if name.lower().endswith(ending)), None)
        if ending is None:
            raise DataError(f"a table is sent as one of {', '.join(_ENDINGS)}, not as {name!r}")
        file = Path(self._folder.name) / f"{secrets.token_hex(8)}{ending}"
        try:
            await self._keep(request, file)
        except BaseException as error:
            file.unlink(missing_ok=True)
            if isinstance(error, ClientDisconnect):
                raise DataError("the table was not sent to its end") from None
            if isinstance(error, OSError):
                raise DataError(f"the table cannot be kept: {error.strerror}") from None
            raise
        return file

    async def _keep(self, request: Request, file: Path) -> None:
        size = 0
        with file.open("wb") as kept:
            async for part in request.stream():
                size += len(part)
                if size > self._most:
                    raise DataError(f"the table is larger than {self._most / 1e6:,.0f} MB; name it when you start")
                kept.write(part)

    def opened(self, file: Path, name: str) -> Session:
        """Open a table that was sent, and forget the one before; if that fails, the one before stays."""
        try:
            session = self._open(file, name)
        except BaseException:
            file.unlink()
            raise
        for other in Path(self._folder.name).iterdir():
            if other != file:
                other.unlink()
        return session

    def close(self) -> None:
        """Forget all tables."""
        self._folder.cleanup()
