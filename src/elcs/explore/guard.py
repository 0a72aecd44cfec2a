"""Who may ask: a request needs the token, the right host and, if it comes from a page, this page.

The server listens on this machine alone, but every page open in the same browser can send it requests, and so can every
user of the machine. The token keeps out both; the check of the host keeps out names that lead here all of a sudden.
"""

from __future__ import annotations

import ipaddress
import secrets
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["MOST_QUERY", "Guard"]

MOST_QUERY = 32_768
"""The longest query of an address, in bytes."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Lets through what may ask, and gives every response its policy.

    Parameters
    ----------
    app : ASGI application
        What it guards.
    token : str
        What every request must know, by its address or by a cookie.
    host : str
        The name or the address that the server was told to listen on.
    port : int
        Its port.
    """

    def __init__(self, app: ASGIApp, *, token: str, host: str, port: int) -> None:
        self._app, self._token, self._host, self._port = app, token, host, port
        self._cookie = f"elcs-{port}"  # cookies do not know ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refused = self._refused(scope)
            await (refused or self._app)(scope, receive, _with_headers(send))

    def _refused(self, scope: Scope) -> Response | None:
        """Return why a request is not let through; None if it is."""
        headers = Headers(scope=scope)
        if not self._is_here(headers.get("host", "")):
            return _refusal(421, "The address is not that of this server.")
        origin = headers.get("origin")
        if origin not in (None, f"http://{headers['host']}") or (
            origin is None and scope["method"] not in ("GET", "HEAD")
        ):
            return _refusal(403, "The request does not come from a page of this server.")
        if len(scope["query_string"]) > MOST_QUERY:
            return _refusal(414, f"The address is longer than {MOST_QUERY:,} characters.")
        said = parse_qsl(scope["query_string"].decode("latin-1"))
        tokens = [value for name, value in said if name == "token"]
        known = self._has_cookie(headers)
        if tokens and (known or self._matches(tokens[0])):
            return self._welcome(scope["path"], [(name, value) for name, value in said if name != "token"])
        if known:
            return None
        return _refusal(403, "This page needs a token. Open the address that 'elcs explore' printed.")

    def _welcome(self, path: str, said: list[tuple[str, str]]) -> Response:
        """Give the token as a cookie, and lead on to the address without it.

        The page leads on by itself rather than by a redirect: after one, a browser that came here from another site
        would not send the cookie yet.
        """
        onward = escape(f"{path}?{urlencode(said)}" if said else path)
        page = f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={onward}"><a href="{onward}">elcs explore</a>'
        response = HTMLResponse(page)
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
        return response

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return found is not None and self._matches(found.value)

    def _matches(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self._token.encode())

    def _is_here(self, host: str) -> bool:
        """Tell whether a request was sent to this server by a name of its own; any number will do if it has several."""
        name, _, port = host.rpartition(":") if host.endswith(f":{self._port}") else (host, "", "80")
        known = {"127.0.0.1", "localhost", "[::1]", self._host, f"[{self._host}]"}
        several = self._host in ("0.0.0.0", "::") and _is_number(name.strip("[]"))
        return port == str(self._port) and (name in known or several)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _refusal(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending
