"""`elcs explore` as a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from typing_extensions import Self

ELCS = [sys.executable, "-c", "from elcs.cli import main; main()"]


class Server:
    """A running server; as a context, it is ended by Ctrl-C."""

    def __init__(self, data: Path, *options: str) -> None:
        command = [*ELCS, "explore", str(data), "--no-browser", "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.process.communicate()[1]
        self.port = int(str(urlsplit(self.address).port))
        self.token = re.sub(".*token=", "", self.address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> str:
        """Press Ctrl-C; return what was printed to standard error."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=30)[1]

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Send a request, by default as the page would; return the status, the headers and the text."""
        sent = {"host": f"127.0.0.1:{self.port}", "cookie": f"elcs-{self.port}={self.token}", **headers}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value})
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, answer.read().decode()
        finally:
            connection.close()
