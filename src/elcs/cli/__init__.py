"""The command line."""

from elcs.cli.running import main

__all__ = ["main"]
