"""The server: it listens, says where, and ends when it is told to."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable

import uvicorn

from elcs.errors import ElcsError
from elcs.explore.app import App

__all__ = ["serve"]

_MOST_CONNECTIONS = 64


def serve(app: App, *, host: str, port: int, announce: Callable[[str], None], query: str = "") -> None:
    """Serve the application until Ctrl-C.

    Parameters
    ----------
    app : App
        What to serve.
    host, port : str, int
        Where to listen; port 0 takes any that is free.
    announce : callable
        Called with the address, which holds the token, once there is somebody to answer.
    query : str
        The query of the address to begin with.
    """
    listening = _listening(host, port)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    config = uvicorn.Config(
        app.guarded(token=token, host=host, port=port),
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    named = f"[{host}]" if ":" in host else {"0.0.0.0": "127.0.0.1"}.get(host, host)
    address = f"http://{named}:{port}/?{f'{query}&' if query else ''}token={token}"
    try:
        _Server(config, lambda: announce(address)).run(sockets=[listening])
    except KeyboardInterrupt:  # uvicorn has ended as it should, and raises it once more
        pass
    finally:
        app.close()
        listening.close()


class _Server(uvicorn.Server):
    """A server that says when it has begun: from then on, Ctrl-C ends it as it should."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        self._begun()


def _listening(host: str, port: int) -> socket.socket:
    """Listen, or say in words why that cannot be done."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OverflowError:
        raise ElcsError(f"the port must be a number from 0 to 65535, not {port}") from None
    except OSError as error:
        raise ElcsError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; another --port may be free (0 takes any)"
        ) from None
