"""The command line from beginning to end: what is said of errors, and the exit code."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

import elcs
from elcs.cli.commands import app
from elcs.cli.console import messages
from elcs.cli.output import STOPPED

__all__ = ["main"]


def main() -> None:
    """Run the command line; the exit code is 0, 1 for bad data, 2 for bad usage, or 3 for a run that was stopped."""
    warnings.showwarning = lambda message, *_, **__: messages.print(f"warning: {message}", markup=False, style="yellow")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what a terminal cannot show is written as \\xfc
            stream.reconfigure(errors="backslashreplace")
    code = 1
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where it can still be told that the disk is full
    except elcs.BudgetError as error:
        messages.print(f"stopped: {error}", markup=False, style="yellow")
        code = STOPPED
    except elcs.ElcsError as error:
        messages.print(f"error: {error}", markup=False, style="red")
    except KeyboardInterrupt:
        messages.print("interrupted", style="red")
        code = 130
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        code = 0
    except OSError as error:
        messages.print(f"error: {error.filename or 'standard output'}: {error.strerror}", markup=False, style="red")
    leave(code)


def leave(code: int) -> NoReturn:
    """End with an exit code, and without another attempt to write what could not be written."""
    with suppress(OSError):
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    os._exit(code)
