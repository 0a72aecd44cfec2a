"""The command line."""

from elcs.cli.commands import main

__all__ = ["main"]
