"""What the command `elcs` does first: it imports the package, and Ctrl-C ends that without a traceback.

It cannot be a part of the package, which is imported before any of its parts.
"""

from __future__ import annotations

import gc
import os
import signal

__all__ = ["main"]


def main() -> None:
    """Import the package and run its command line."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The threads of numpy and of scipy look for work as they start, 0.05 s of CPU each, unless told to wait for it.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    gc.disable()  # modules are no garbage, and looking for some takes a tenth of the time
    from elcs.cli import main

    gc.enable()
    signal.signal(signal.SIGINT, before)
    main()
