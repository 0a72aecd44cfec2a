"""The command `elcs explore`: the answers to a table as a page to walk through."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

import elcs
from elcs.cli import progress
from elcs.cli.asking import asking
from elcs.cli.console import console
from elcs.cli.options import Data, Quiet
from elcs.study.question import EXPLORE

__all__ = ["explore"]

Target = Annotated[
    str | None, typer.Option("--target", "-t", help="The column to begin with; otherwise the whole graph.")
]
Port = Annotated[int, typer.Option(help="The port to listen on; 0 takes any that is free.", min=0, max=65535)]
Host = Annotated[
    str,
    typer.Option(help="The address to listen on. Any other than this lets other machines ask, if they know the token."),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no browser.")]
UploadOption = Annotated[bool, typer.Option("--upload", help="Let the page send other tables.")]
MostUpload = Annotated[int, typer.Option(metavar="MB", help="The largest table that may be sent.", min=1)]


@asking(EXPLORE)
def explore(
    data: Data,
    keywords: dict[str, Any],
    target: Target = None,
    port: Port = 0,
    host: Host = "127.0.0.1",
    no_browser: NoBrowser = False,
    upload: UploadOption = False,
    upload_limit: MostUpload = 200,
    quiet: Quiet = False,
) -> None:
    """Open a page in the browser to walk through the answers about a table."""
    try:
        from elcs.explore.app import App
        from elcs.explore.serving import serve
        from elcs.explore.session import Session
        from elcs.explore.uploading import Upload
    except ModuleNotFoundError as error:
        raise elcs.ElcsError(f"'elcs explore' needs {error.name}: pip install \"elcs[explore]\"") from None

    asked = EXPLORE.put(None, keywords)

    def opened(file: Path, source: str, target: str | None = None) -> Session:
        return Session(elcs.Study.of(file, asked, target=target), source, asked.reading.to_dict())

    with progress.reading(quiet):
        session = opened(data, str(data if str(data).startswith("-") else Path(data).absolute()), target)
    warnings.simplefilter("ignore", elcs.DataWarning)  # from here on, the page says it
    query = "" if target is None else urlencode({"target": target})
    sent = Upload(opened, upload_limit * 1_000_000) if upload else None

    def announce(address: str) -> None:
        console.print(address, markup=False)
        if not quiet:
            console.print("Ctrl-C ends it.")
        if not no_browser:
            import webbrowser  # no other command needs it

            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    try:
        serve(App(session, sent), host=host, port=port, announce=announce, query=query)
    finally:
        if sent is not None:
            sent.close()
