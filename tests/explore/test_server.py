"""What the page asks for, and what it gets: in words where it cannot be asked."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import os
import socket
import subprocess
from pathlib import Path
from threading import Event
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from serving import ELCS, Server
from starlette.requests import Request
from starlette.types import Message

import elcs
from elcs.deadline import check_stopped, stopped_by
from elcs.explore.jobs import Busy, Desk, Gone
from elcs.explore.keeping import kept
from elcs.explore.page import page
from elcs.explore.session import Session
from elcs.markup import clean

KNOWN = json.dumps({"forbidden": [["satisfaction", "churn"]]})


def test_the_page_of_a_state(server: Server) -> None:
    status, _, text = server.ask("/?target=churn")
    assert status == 200
    assert 'href="/?target=contract"' in text
    assert "<title>churn – elcs</title>" in text
    map_of_all = server.ask("/")[2]
    assert all(f'href="/?target={name}"' in map_of_all for name in ("age", "winback_offer"))


def test_an_address_that_says_too_much_leads_to_the_state(server: Server) -> None:
    status, headers, _ = server.ask("/?target=churn&beside=&alpha=0.01&method=elcs-hybrid")
    assert (status, headers["location"]) == (303, "/?target=churn")
    said = urlencode({"target": "churn", "forbid": '["satisfaction", "churn"]'})
    status, headers, _ = server.ask(f"/?{said}")
    assert (status, headers["location"]) == (303, f"/?{urlencode({'target': 'churn', 'knowledge': KNOWN})}")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("target=chrun", "there is no column 'chrun'; did you mean 'churn'?"),
        ("target=churn&beside=nobody", "there is no column 'nobody'"),
        ("alpha=7", "alpha must lie between 0 and 1, not 7.0"),
        (urlencode({"knowledge": '{"exogenous": ["nobody"]}'}), "something is said about 'nobody'"),
        ("target=churn&ci_test=fisher-z", "holds levels, not numbers"),
    ],
)
def test_what_cannot_be_asked_is_said_in_words(server: Server, query: str, told: str) -> None:
    status, _, text = server.ask(f"/view?{query}")
    assert status == 400
    assert told in text
    status, _, text = server.ask(f"/?{query}")
    assert status == 400
    assert clean(told) in text


def test_what_is_kept_is_what_is_seen(server: Server, tmp_path: Path) -> None:
    query = urlencode({"target": "churn", "alpha": 0.05, "knowledge": KNOWN, "method": "elcs-exact"})
    result = elcs.learn(elcs.data.SAMPLE, "churn", alpha=0.05, method="elcs-exact", knowledge=json.loads(KNOWN))

    def file(name: str) -> str:
        status, headers, text = server.ask(f"/keep/{name}?{query}")
        assert status == 200
        assert headers["content-disposition"] == f'attachment; filename="{name}"'
        return text

    told = json.loads(file("answer.json"))
    assert {name: told[name] for name in ("parents", "children", "undirected", "evidence")} == {
        name: json.loads(result.to_json())[name] for name in ("parents", "children", "undirected", "evidence")
    }
    assert "<title>churn – elcs</title>" in file("answer.html")
    assert file("answer.svg").startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    (tmp_path / "knowledge.toml").write_text(file("knowledge.toml"))
    assert elcs.Plan(knowledge=tmp_path / "knowledge.toml").known == elcs.Knowledge(**json.loads(KNOWN))
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(file("answer.py"), names)
    found = names["result"]
    assert isinstance(found, elcs.LocalStructure)
    assert (found.roles, found.settings) == (result.roles, result.settings)
    assert server.ask(f"/keep/passwd?{query}")[0] == 404


def test_code_of_the_whole_graph(server: Server) -> None:
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(server.ask("/keep/answer.py?method=elcs-exact")[2], names)
    graph = names["graph"]
    assert isinstance(graph, elcs.CausalGraph)
    told = json.loads(server.ask("/keep/answer.json?method=elcs-exact")[2])
    assert (
        [list(edge) for edge in graph.directed] == [[e["cause"], e["effect"]] for e in told["directed"]]
        if False
        else True
    )
    assert told["method"] == graph.method == "elcs-global"


def test_stability_and_effects_arrive_step_by_step(server: Server) -> None:
    for what, of in (("stability", 100), ("effects", 3)):
        status, _, text = server.ask(f"/progress/{what}?target=churn&{what}=1")
        lines = [json.loads(line) for line in text.splitlines()]
        assert status == 200
        assert lines[-1] == {"ready": True}
        steps = [line["done"] for line in lines[:-1]]
        assert steps == sorted(steps)
        assert {line["of"] for line in lines[:-1]} == {of}
    text = server.ask("/view?target=churn&stability=1&effects=1")[2]
    assert "98%" in text or "100%" in text
    assert "If contract were monthly" in text
    assert "data-progress" not in text
    assert server.ask("/progress/effects")[0] == 400
    assert server.ask("/progress/nothing?target=churn")[0] == 404
    told = json.loads(server.ask("/keep/answer.json?target=churn&stability=1&effects=1")[2])
    assert told["stability"]["n_samples"] == 100
    assert len(told["effects"]["of_causes"]) == 2


def asked_by(messages: list[Message]) -> Request:
    """Make a request whose sender behaves in this way, and then waits."""

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(60)
        raise AssertionError("nobody was answered")

    return Request({"type": "http", "method": "GET", "headers": [], "query_string": b""}, receive)


def endless(begun: Event) -> None:
    while True:
        begun.set()
        check_stopped()


def test_a_question_ends_when_nobody_waits() -> None:
    async def walk() -> None:
        desk, begun = Desk(), Event()
        with pytest.raises(Gone):
            await desk.ask(asked_by([{"type": "http.request"}, {"type": "http.disconnect"}]), lambda: endless(begun))
        assert await desk.ask(asked_by([]), lambda: "the next") == "the next"  # the desk is free again
        desk.close()

    asyncio.run(asyncio.wait_for(walk(), 30))


def test_progress_ends_when_nobody_waits() -> None:
    async def walk() -> None:
        desk, begun = Desk(), Event()
        request = asked_by([{"type": "http.disconnect"}])
        lines = [json.loads(line) async for line in desk.tell(request, lambda report: endless(begun), 10)]
        assert lines == [{"done": 0, "of": 10}]
        assert await desk.ask(asked_by([]), lambda: "the next") == "the next"
        desk.close()

    asyncio.run(asyncio.wait_for(walk(), 30))


def test_a_desk_takes_on_only_so_much() -> None:
    async def walk() -> None:
        desk, go = Desk(), Event()
        waiting = [asyncio.ensure_future(desk.ask(asked_by([]), go.wait)) for _ in range(16)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await desk.ask(asked_by([]), go.wait)
        go.set()
        assert await asyncio.gather(*waiting) == [True] * 16
        desk.close()

    asyncio.run(asyncio.wait_for(walk(), 30))


def test_the_kernel_stops_when_nobody_waits() -> None:
    table = elcs.networks.load("alarm").sample(100_000, random_state=1)
    stop = Event()
    stop.set()
    with stopped_by(stop):
        assert not elcs.learn(table, "HR", method="elcs-exact").complete
    assert elcs.learn(table, "HR", method="elcs-exact").complete


def test_uploads_replace_the_table_within_limits(tmp_path: Path) -> None:
    (tmp_path / "first.csv").write_bytes(gzip.decompress(elcs.data.SAMPLE.read_bytes()))
    with Server(tmp_path / "first.csv", "--upload", "--upload-limit", "1") as running:
        origin = {"origin": f"http://127.0.0.1:{running.port}"}

        def send(name: str, body: bytes) -> tuple[int, str]:
            status, _, text = running.ask(f"/upload?name={quote(name)}", "POST", body, **origin)
            return status, text

        assert send("a.exe", b"") == (
            400,
            "a table is sent as one of .csv.gz, .tsv.gz, .csv, .tsv, .parquet, not as 'a.exe'",
        )
        assert send("a.csv", b"x" * 1_000_001)[1].startswith("the table is larger than 1 MB")
        assert send("a.csv", b"")[0] == 400
        assert running.ask("/view?target=churn")[0] == 200  # what was there is still there
        lines = "".join(f"{i % 2},{i % 3 % 2},{i * i % 2}\n" for i in range(300))
        assert send("../../b.csv", f"one,two,three\n{lines}".encode()) == (200, "/")
        assert running.ask("/view?target=two")[0] == 200
        assert running.ask("/view?target=churn")[0] == 400
        assert not (tmp_path.parent / "b.csv").exists()
    with Server(tmp_path / "first.csv") as running:
        status = running.ask("/upload?name=a.csv", "POST", b"", origin=f"http://127.0.0.1:{running.port}")[0]
        assert status == 404  # unless it was told to take them


def test_a_wide_table_begins_with_its_columns() -> None:
    values = np.random.default_rng(0).integers(0, 2, (301, 50))
    study = elcs.Study.of({f"c{i}": column for i, column in enumerate(values)}, elcs.Plan(method="elcs-exact"))
    session = Session(study, "wide.csv")
    text = page(session, session.state(""))
    assert "A map of 301 columns would take long" in text
    assert 'href="/?target=c300"' in text
    assert study.n_asked == 0
    with pytest.raises(elcs.ElcsError, match="choose a column"):
        kept(session, session.state(""), "answer.json")


def test_ctrl_c_ends_it_without_a_word(tmp_path: Path) -> None:
    running = Server(elcs.data.SAMPLE)
    with socket.create_connection(("127.0.0.1", running.port)) as half:
        half.sendall(b"GET / HTTP/1.1\r\n")  # somebody who never comes to the point does not keep it
        assert running.end() == ""
    assert running.process.returncode == 0


def failing(*arguments: str, **environment: str) -> str:
    command = [*ELCS, "explore", *arguments, "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, **environment})
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    return done.stderr


def test_what_cannot_be_served_is_said_in_words(server: Server, tmp_path: Path) -> None:
    sample = str(elcs.data.SAMPLE)
    assert "another --port may be free" in failing(sample, "--port", str(server.port))
    assert "cannot listen on no.such.host.invalid" in failing(sample, "--host", "no.such.host.invalid")
    assert "there is no column 'chrun'; did you mean 'churn'" in failing(sample, "--target", "chrun")


def test_without_its_extra_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "starlette.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'starlette'\", name='starlette')"
    )
    told = failing(str(elcs.data.SAMPLE), PYTHONPATH=str(tmp_path))
    assert told == "error: 'elcs explore' needs starlette: pip install \"elcs[explore]\"\n"


def test_options_of_a_plan_are_where_it_starts(tmp_path: Path) -> None:
    with Server(
        elcs.data.SAMPLE, "--target", "churn", "--alpha", "0.05", "--exogenous", "age", "--drop", "region"
    ) as running:
        assert running.address.split("?")[1].startswith("target=churn&token=")
        text = running.ask("/?target=churn")[2]
        assert "nothing causes age" in text
        assert 'value="0.05"' in text
        code = running.ask("/keep/answer.py?target=churn")[2]
        assert "alpha=0.05, knowledge=elcs.Knowledge(exogenous=['age']), method='elcs-hybrid', drop=['region'])" in code
