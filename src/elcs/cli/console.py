"""Where the command line writes."""

from __future__ import annotations

from rich.console import Console

__all__ = ["console", "messages"]

console = Console(highlight=False, soft_wrap=True)
messages = Console(stderr=True, highlight=False, soft_wrap=True)
