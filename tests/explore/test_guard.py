"""Only who knows the token may ask, from this page, within limits; what names say stays text."""

from __future__ import annotations

import csv
import socket
from pathlib import Path
from urllib.parse import urlencode

import pytest
from making import NASTY, nasty_table
from serving import Server

from elcs.explore.guard import MOST_QUERY, Guard


@pytest.mark.parametrize(
    "path", ["/", "/view?target=churn", "/style.css", "/keep/answer.json?target=churn", "/nothing"]
)
def test_nothing_is_told_without_the_token(server: Server, path: str) -> None:
    for cookie in ("", f"elcs-{server.port}=wrong", "elcs-1=x", f"elcs-{server.port}=", "a;b=c;;="):
        status, headers, text = server.ask(path, cookie=cookie)
        assert status == 403
        assert "token" in text
        assert "churn" not in text
        assert "set-cookie" not in headers
    assert server.ask(f"/?token={server.token}x", cookie="")[0] == 403


def test_the_token_of_the_address_becomes_a_cookie(server: Server) -> None:
    status, headers, text = server.ask(f"/?{urlencode({'target': 'churn', 'token': server.token})}", cookie="")
    assert status == 200
    assert headers["set-cookie"].startswith(f"elcs-{server.port}={server.token};")
    assert "httponly" in headers["set-cookie"].lower()
    assert "samesite=strict" in headers["set-cookie"].lower()
    assert "url=/?target=churn" in text
    assert server.token not in text  # it is not to stay in the history
    assert server.ask("/?target=churn")[0] == 200
    assert "url=/?target=churn" in server.ask("/?target=churn&token=of-yesterday")[2]  # a bookmark, and today's cookie


@pytest.mark.parametrize("host", ["evil.example:{}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{}", ""])
def test_names_of_others_do_not_lead_here(server: Server, host: str) -> None:
    assert server.ask("/", host=host.format(server.port) or "x")[0] == 421


@pytest.mark.parametrize("host", ["localhost:{}", "[::1]:{}"])
def test_its_own_names_lead_here(server: Server, host: str) -> None:
    assert server.ask("/", host=host.format(server.port))[0] == 200


def test_an_address_of_several_names_goes_by_numbers() -> None:
    async def app(*_: object) -> None: ...

    guard = Guard(app, token="t", host="0.0.0.0", port=80)
    assert guard._is_here("192.0.2.7:80")
    assert guard._is_here("192.0.2.7")
    assert not guard._is_here("evil.example:80")
    assert not guard._is_here("192.0.2.7:81")


def test_other_pages_send_nothing(server: Server) -> None:
    for origin in (
        "http://evil.example",
        "null",
        f"http://127.0.0.1:{server.port + 1}",
        f"https://127.0.0.1:{server.port}",
    ):
        assert server.ask("/view?target=churn", origin=origin)[0] == 403
        assert server.ask("/upload?name=a.csv", "POST", b"a,b\n1,2\n", origin=origin)[0] == 403
    assert server.ask("/upload?name=a.csv", "POST", b"a,b\n1,2\n")[0] == 403  # a form of another page may lack it
    assert server.ask("/view?target=churn", origin=f"http://127.0.0.1:{server.port}")[0] == 200


@pytest.mark.parametrize(
    "path", ["/", "/view?target=churn", "/view?target=nobody", "/keep/answer.html?target=churn", "/nothing"]
)
def test_every_response_has_the_policy(server: Server, path: str) -> None:
    headers = server.ask(path)[1]
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


def test_long_addresses_are_refused(server: Server) -> None:
    status, _, text = server.ask("/view?" + "x" * (MOST_QUERY + 1))
    assert (status, text) == (414, "The address is longer than 32,768 characters.\n")
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(b"GET /" + b"x" * 1_000_000)
        assert raw.recv(100).startswith(b"HTTP/1.1 4")
    assert server.ask("/style.css")[0] == 200


def test_too_many_connections_are_turned_away(server: Server) -> None:
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(70)]
    try:
        assert server.ask("/style.css")[0] == 503
    finally:
        for connection in held:
            connection.close()
    while server.ask("/style.css")[0] == 503:  # until the server has noticed that they are gone
        pass


def test_hostile_names_are_nothing_but_text(tmp_path: Path) -> None:
    table = nasty_table()
    with (tmp_path / "nasty.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[*table], *zip(*table.values(), strict=True)])
    with Server(tmp_path / "nasty.csv") as running:
        for name in NASTY:
            said = urlencode(
                {"target": name, "beside": NASTY[2], "forbid": f'["{NASTY[0]}", "{NASTY[3]}"]', "effects": 1}
            )
            status, _, text = running.ask(f"/view?{said}")
            assert status == 200
            assert "<script" not in text
            assert "<img" not in text
        status, _, text = running.ask(f"/?{urlencode({'target': '<script>alert(1)</script>x'})}")
        assert status == 400
        assert "&lt;script&gt;alert(1)&lt;/script&gt;x" in text
        assert text.count("<script") == 1  # its own
