"""The requests that the page sends, and what each gets back."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from elcs.errors import ElcsError
from elcs.explore.guard import Guard
from elcs.explore.jobs import Busy, Desk, Gone
from elcs.explore.keeping import KEPT, kept
from elcs.explore.page import page, refusal, script, style, view
from elcs.explore.session import HALF_SAMPLES, Session
from elcs.explore.uploading import Upload

__all__ = ["App"]

Answer = Callable[[Request], Awaitable[Response]]


class App:
    """The application: an open table, two desks that answer questions about it, and the routes that lead to them.

    Quick questions have a desk of their own, so that a step does not wait for half-samples to be counted.

    Parameters
    ----------
    session : Session
        The open table.
    upload : Upload, optional
        How another table may be sent; by default, none may.
    """

    def __init__(self, session: Session, upload: Upload | None = None) -> None:
        self.session, self._upload = session, upload
        self._quick, self._slow = Desk(), Desk()

    def guarded(self, *, token: str, host: str, port: int) -> ASGIApp:
        """Return the ASGI application, which lets through only who knows the token."""
        routes = [
            Route("/", _in_words(self._page)),
            Route("/view", _in_words(self._view)),
            Route("/progress/{what}", _in_words(self._progress)),
            Route("/keep/{name}", _in_words(self._keep)),
            Route("/style.css", self._style),
            Route("/script.js", self._script),
        ]
        if self._upload is not None:
            routes.append(Route("/upload", _in_words(self._take), methods=["POST"]))
        return Guard(Starlette(routes=routes), token=token, host=host, port=port)

    def close(self) -> None:
        """Stop all questions."""
        self._quick.close()
        self._slow.close()

    async def _page(self, request: Request) -> Response:
        session, offers = self.session, self._upload is not None

        def ask() -> Response:
            try:
                state = session.state(request.url.query)
                if state.query != request.url.query:
                    return RedirectResponse(state.address, 303)
                return HTMLResponse(page(session, state, upload=offers))
            except ElcsError as error:
                return HTMLResponse(refusal(session, str(error), upload=offers), 400)

        return await self._quick.ask(request, ask)

    async def _view(self, request: Request) -> Response:
        session = self.session
        return await self._quick.ask(
            request, lambda: HTMLResponse(view(session, session.state(request.url.query)).encode("utf-8", "replace"))
        )

    async def _progress(self, request: Request) -> Response:
        session, what = self.session, request.path_params["what"]
        work = {"stability": session.stability, "effects": session.effects}.get(what)
        if work is None:
            return PlainTextResponse(f"there is no {what!r}\n", 404)
        state = await self._quick.ask(request, lambda: session.state(request.url.query))
        target = state.target
        if target is None:
            raise ElcsError(f"{what} needs a target")
        result = await self._quick.ask(request, lambda: session.answer(state))
        n_all = HALF_SAMPLES if what == "stability" else len(result.neighbours) + len(result.undirected)
        lines = self._slow.tell(request, lambda report: work(state, target, report), n_all)
        return StreamingResponse(lines, media_type="application/x-ndjson")

    async def _keep(self, request: Request) -> Response:
        session, name = self.session, request.path_params["name"]
        if name not in KEPT:
            return PlainTextResponse(f"there is no {name!r}; there are {', '.join(KEPT)}\n", 404)
        made = await self._quick.ask(request, lambda: kept(session, session.state(request.url.query), name))
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(made.text.encode("utf-8", "backslashreplace"), media_type=made.media_type, headers=headers)

    async def _take(self, request: Request) -> Response:
        if self._upload is None:
            raise ValueError("nothing may be sent")
        opened, name = self._upload.opened, request.query_params.get("name", "")
        file = await self._upload.receive(request)
        self.session = await self._slow.ask(request, lambda: opened(file, name))
        return PlainTextResponse("/")

    async def _style(self, request: Request) -> Response:
        return Response(style(), media_type="text/css")

    async def _script(self, request: Request) -> Response:
        return Response(script(), media_type="text/javascript")


def _in_words(answer: Answer) -> Answer:
    """Answer in words where a question cannot be asked."""

    @functools.wraps(answer)
    async def answering(request: Request) -> Response:
        try:
            return await answer(request)
        except ElcsError as error:
            return PlainTextResponse(str(error), 400)
        except Busy:
            return PlainTextResponse("Too many questions wait already; try again.", 503, {"retry-after": "1"})
        except Gone:
            return PlainTextResponse("nobody waits", 499)

    return answering
