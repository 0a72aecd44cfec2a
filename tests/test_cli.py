"""The command as a user runs it."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from functools import partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import houses
from typer.testing import CliRunner

import elcs
from elcs.cli.commands import app

ELCS = [sys.executable, "-c", "from elcs.cli import main; main()"]
SAMPLE = str(elcs.data.SAMPLE)


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ELCS, *arguments], capture_output=True, text=True, cwd=cwd, timeout=60)


def test_learn(tmp_path: Path) -> None:
    files = tmp_path / "answer.json", tmp_path / "answer.dot"
    done = run(
        "learn",
        SAMPLE,
        "--target",
        "satisfaction",
        "--explain",
        "--json",
        str(files[0]),
        "--dot",
        str(files[1]),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "direct causes    price_rise, outages" in done.stdout
    assert "This is decided: every arrangement we found without" in " ".join(done.stdout.split())
    assert json.loads(files[0].read_text())["children"] == ["referral", "churn"]
    assert files[1].read_text().startswith("digraph {")
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("command", ["learn", "blanket"])
def test_picture_and_page(tmp_path: Path, command: str) -> None:
    files = tmp_path / "answer.SVG", tmp_path / "answer.html"
    done = run(command, SAMPLE, "-t", "satisfaction", "--plot", str(files[0]), "--html", str(files[1]))
    assert done.returncode == 0, done.stderr
    assert "direct effects   " in done.stdout
    assert "<svg" in files[0].read_text()
    assert files[1].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_json_on_standard_output_is_nothing_but_json() -> None:
    done = run("learn", SAMPLE, "-t", "churn", "--json", "-")
    assert json.loads(done.stdout)["target"] == "churn"


def test_blanket_and_options(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("a,b,c,n\n0,0,0,100\n1,1,0,90\n0,1,1,12\n1,0,1,8\n0,0,1,7\n1,1,1,30\n")
    done = run("blanket", str(path), "-t", "a", "--weights", "n", "--method", "emb", "--alpha", "0.05", "--drop", "c")
    assert done.returncode == 0, done.stderr
    assert "b" in done.stdout.splitlines()[3]
    assert run("blanket", str(path), "-t", "a", "--weights", "n", "--quiet").stdout == ""


def test_scores_are_chosen_by_name() -> None:
    out = {
        name: run("blanket", SAMPLE, "-t", "satisfaction", "--method", "s2tmb", "--score", name, "--json", "-").stdout
        for name in ("auto", "bdeu", "bic", "blocks")
    }
    told = {name: json.loads(text)["settings"]["score"] for name, text in out.items()}
    assert told == {"auto": "BDeu", "bdeu": "BDeu", "bic": "BIC", "blocks": "Blocks"}


def test_half_samples_are_scored_as_the_whole_is(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    make = elcs.BIC.__init__

    def counted(score: elcs.BIC, data: elcs.Table, **options: object) -> None:
        made.append(data.total)
        make(score, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(elcs.BIC, "__init__", counted)
    options = ["--method", "mmhc", "--score", "bic", "--stability", "4", "--quiet"]
    done = CliRunner().invoke(app, ["learn", SAMPLE, "-t", "churn", *options])
    assert done.exit_code == 0, done.output
    assert made == [4000, 2000, 2000, 2000, 2000]


def test_graph(tmp_path: Path) -> None:
    done = run("graph", SAMPLE, "--dot", "g.dot", "--json", "g.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "  price_rise -> satisfaction" in done.stdout.splitlines()
    assert '"price_rise" -> "satisfaction";' in (tmp_path / "g.dot").read_text()
    assert ["price_rise", "satisfaction"] in json.loads((tmp_path / "g.json").read_text())["directed"]
    assert json.loads(run("graph", SAMPLE, "--method", "pc-stable", "--json", "-").stdout)["method"] == "pc-stable"
    assert "direct causes    price_rise" in run("learn", SAMPLE, "-t", "satisfaction", "--method", "pc-stable").stdout
    refused = run("graph", SAMPLE, "--method", "elcs")
    assert refused.returncode == 1
    assert "'elcs' is a local learner; here one of these is needed: elcs-hybrid, elcs-global" in " ".join(
        refused.stderr.split()
    )


def test_graph_as_picture_and_page_with_reasons(tmp_path: Path) -> None:
    files = ["--plot", "g.png", "--html", "g.html", "--json", "g.json", "--explain", "--stability", "4"]
    done = run("graph", SAMPLE, *files, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "outages and satisfaction are directly connected" in done.stdout.replace("\n", " ")
    assert "how often each edge comes back in 4 half-samples" in done.stdout
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")
    assert "Of 4 half-samples, 100% have an edge between" in (tmp_path / "g.html").read_text()
    assert json.loads((tmp_path / "g.json").read_text())["stability"]["n_samples"] == 4
    for wrong, told in (("--stability 3", "even number"), ("--plot g.bmp", "ends in"), ("--html -", "name of a file")):
        refused = run("graph", SAMPLE, *wrong.split(), cwd=tmp_path)
        assert refused.returncode in (1, 2)
        assert told in refused.stderr
    stopped = run("graph", SAMPLE, "--max-tests", "5", "--stability", "2", "--html", "s.html", cwd=tmp_path)
    assert stopped.returncode == 3
    assert "no half-samples were counted" in stopped.stderr
    assert "stopped before the end" in (tmp_path / "s.html").read_text()
    assert stopped.stdout.startswith("the run was stopped before the end; what is not shown is not settled\n")


def test_compare(tmp_path: Path) -> None:
    files = tmp_path / "said.json", tmp_path / "said.png"
    options = ("--methods", "elcs-exact, iamb,s2tmb", "--json", str(files[0]), "--plot", str(files[1]))
    done = run("compare", SAMPLE, "-t", "satisfaction", *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "satisfaction: what 3 methods say" in done.stdout
    assert json.loads(files[0].read_text())["variables"]["churn"]["roles"]["elcs-exact"] == "child"
    assert files[1].read_bytes().startswith(b"\x89PNG")
    assert len(json.loads(run("compare", SAMPLE, "-t", "churn", "--json", "-").stdout)["methods"]) == 5
    assert run("compare", SAMPLE, "-t", "churn", "--quiet").stdout == ""
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("\n".join(["a,b,c", *(f"{i % 7 + 0.5},{i % 7 * i % 5 + 0.25},{i % 3}" for i in range(200))]))
    told = json.loads(run("compare", str(numbers), "-t", "a", "--json", "-").stdout)
    assert told["methods"]["elcs-hybrid"]["settings"]["score"] == "Blocks"
    shown = on_a_terminal("compare", SAMPLE, "-t", "satisfaction", "--methods", "elcs-exact,iamb")
    assert "what 2 methods say" in shown
    assert "│" in shown


def test_numbers_are_cut_into_bins(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("age,income,up\n" + "".join(f"{20 + i % 50},{i % 97}.5,{int(i % 97 > 40)}\n" for i in range(400)))
    assert "income  number        -  0.5 to 96.5" in run("describe", str(path)).stdout
    told = run("learn", str(path), "-t", "up", "--ci-test", "g2").stderr
    assert "'income' holds fractional numbers" in told
    assert "--bins" in told
    told = run("learn", str(path), "-t", "up", "--score", "bdeu").stderr
    assert "--ci-test" not in told
    assert "(--score blocks)" in told
    assert run("learn", str(path), "-t", "up", "--score", "blocks").returncode == 0
    done = run("learn", str(path), "-t", "up", "--bins", "age=3,income=4")
    assert done.returncode == 0, done.stderr
    assert "income" in done.stdout
    both = run("describe", str(path), "--bins", "4,age=3").stdout
    assert re.search(r"age +binned +3 ", both)
    assert re.search(r"income +binned +4 ", both)
    assert re.search(r"up +text +2 ", run("describe", str(path), "--kinds", "up=text,age=number").stdout)
    assert "'--kinds': must be COLUMN=KIND" in run("describe", str(path), "--kinds", "age").stderr
    refused = run("learn", str(path), "-t", "up", "--bins", "four")
    assert refused.returncode == 2
    assert "'--bins': must be a number" in refused.stderr


def test_describe_and_methods() -> None:
    assert "satisfaction   text" in run("describe", SAMPLE).stdout
    listed = run("methods").stdout.splitlines()
    assert [line.split("\t")[0] for line in listed] == [method.name for method in elcs.methods()]
    assert all(len(line.split("\t")) == 4 for line in listed)


def test_the_version_and_the_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run("--version").stdout
    cpu = elcs.engines.MemoryEngine(elcs.Table.from_any({"a": [0, 1], "b": [0, 1]})).cpu
    assert shown.startswith(f"elcs {elcs.__version__}, compiled engine ({cpu}), Python 3.")
    monkeypatch.setenv("ELCS_CPU", "baseline")
    assert "(baseline)" in run("--version").stdout
    monkeypatch.setenv("ELCS_CPU", "abacus")
    for asked in (["--version"], ["learn", SAMPLE, "-t", "churn"]):
        done = run(*asked)
        assert done.returncode == 1
        assert done.stderr.startswith("error: ELCS_CPU is 'abacus', but this processor offers: baseline")


def test_describe_refuses_no_table(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    rows = "".join(f"{i},2024-03-{1 + i % 28:02d},{i % 4},{'' if i % 10 else 'x'},{-i}\n" for i in range(100))
    path.write_text(",day,room,note,n\n" + rows)
    done = run("describe", str(path), "--weights", "n", "--kinds", "day=integer")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"day +date +- +2024-03-01 to 2024-03-28\n", done.stdout)
    assert "left out: (column 1) (a row index without a name)\nleft out: note (constant: always 'x')\n" in done.stdout
    assert "problem: weights= has negative values, such as -99" in done.stdout
    assert "problem: column 'day' cannot be what kinds= says" in done.stdout
    refused = run("learn", str(path), "-t", "room", "--weights", "n", "--kinds", "day=integer")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: 2 things are wrong:\n- weights= has negative")
    assert run("describe", str(tmp_path / "no.csv")).returncode == 1


def test_demo() -> None:
    done = run("demo")
    assert done.returncode == 0
    assert "direct effects   referral, churn" in done.stdout
    assert "--explain" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["learn", SAMPLE, "-t", "satisfactoin"],
            1,
            "error: there is no column 'satisfactoin'; did you mean 'satisfaction'",
        ),
        (["learn", "nowhere.csv", "-t", "a"], 1, "error: there is no file 'nowhere.csv'"),
        (["learn", SAMPLE, "-t", "churn", "--method", "elsc"], 1, "did you mean 'elcs'"),
        (["learn", SAMPLE, "-t", "churn", "--ci-test", "t"], 2, "'--ci-test': must be auto or g2 or chi2"),
        (["blanket", SAMPLE, "-t", "churn", "--score", "aic"], 2, "'--score': must be auto or bdeu or bic or blocks"),
        (["compare", SAMPLE, "-t", "churn", "--methods", "elsc"], 1, "did you mean 'elcs'"),
        (
            ["compare", SAMPLE, "-t", "churn", "--methods", "elsc,iamb,imab"],
            1,
            "there are no methods 'elsc', 'imab'; did you mean 'elcs', 'iamb'?",
        ),
        (
            ["learn", SAMPLE, "-t", "churn", "--kinds", "age=txt,region=word,churn=text"],
            1,
            "kinds= says 'txt' for column 'age', 'word' for column 'region'; it takes",
        ),
        (["learn", SAMPLE, "-t", "churn", "--kinds", "age,region=text,x"], 2, "commas, not 'age', 'x'"),
        (["learn", SAMPLE, "-t", "churn", "--bins", "age=x,region=3,churn="], 2, "commas, not 'age=x', 'churn='"),
        (
            ["learn", SAMPLE, "-t", "churn", "--bins", "age=1,region=0"],
            1,
            "at least 2, not 1 for 'age', 0 for 'region'",
        ),
        (["learn", SAMPLE, "-t", "churn", "--bins", "ago=3,regoin=3"], 1, "no column 'regoin'; did you mean 'region'"),
        (["learn", SAMPLE, "-t", "churn", "--drop", "age,regoin"], 1, "no column 'regoin'; did you mean 'region'"),
        (["learn", SAMPLE, "-t", "zzz"], 1, "there is no column 'zzz'; the columns are"),
        (["compare", SAMPLE, "-t", "churn", "--plot", "picture.txt"], 1, "ends in .png, .svg, .pdf"),
        (["learn", SAMPLE, "-t", "churn", "--json", "/no/such/folder/x"], 1, "cannot write"),
        (["learn", SAMPLE, "-t", "churn", "--plot", "a.jpg"], 1, "ends in .png, .svg, .pdf, not to 'a.jpg'"),
        (["learn", SAMPLE, "-t", "churn", "--plot", "-"], 2, "'--plot': needs the name of a file"),
        (["blanket", SAMPLE, "-t", "churn", "--html", "-"], 2, "'--html': needs the name of a file"),
        (["blanket", SAMPLE, "-t", "churn", "--html", "/no/such/folder/x"], 1, "cannot write"),
        (["blanket", SAMPLE, "-t", "churn", "--plot", "/no/such/folder/x.png"], 1, "cannot write"),
        (["learn", SAMPLE], 2, "Missing option '--target'"),
        (["learn", SAMPLE, "-t", "churn", "--alpha", "small"], 2, "alpha"),
        (["discover"], 2, "No such command"),
    ],
)
def test_errors(arguments: list[str], code: int, message: str) -> None:
    done = run(*arguments)
    assert done.returncode == code
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_warnings_are_short(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("a,b,c\n0,0,x\n1,1,x\n0,0,x\n1,1,x\n0,1,x\n")
    done = run("learn", str(path), "-t", "a")
    assert done.returncode == 0
    assert "warning: left out columns: 'c' (constant: always 'x')" in done.stderr
    assert "warning: no test of 'a'" in done.stderr
    assert ".py" not in done.stderr


def test_a_reader_that_leaves() -> None:
    done = subprocess.run(
        f"{sys.executable} -c 'from elcs.cli import main; main()' methods | head -1",
        shell=True,
        capture_output=True,
        timeout=60,
    )
    assert done.stderr == b""


def slow_table(path: Path) -> None:
    rng = np.random.default_rng(0)
    n_rows, n_columns = 40_000, 30
    hidden = rng.integers(0, 2, n_rows)
    columns = [hidden ^ (rng.random(n_rows) < 0.3) for _ in range(n_columns)]
    lines = [
        ",".join(f"V{i}" for i in range(n_columns)),
        *(",".join(map(str, row)) for row in np.column_stack(columns)),
    ]
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("\n".join(lines) + "\n")


def test_ctrl_c_shows_what_is_known_so_far(tmp_path: Path) -> None:
    path = tmp_path / "slow.csv.gz"
    slow_table(path)
    command = [*ELCS, "learn", str(path), "-t", "V0", "--max-cond-size", "-1"]
    # On a terminal, so that the display of progress runs too.
    terminal, other_end = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other_end, text=True)
    os.close(other_end)
    shown = b""
    while not re.search(rb"tests (and scores )?in", shown):
        shown += os.read(terminal, 4096)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    os.close(terminal)
    assert process.returncode == 3
    assert "stopped before the end" in output
    assert "not settled      V" in output


def test_stability() -> None:
    done = run("learn", SAMPLE, "-t", "satisfaction", "--stability", "20")
    assert "how often each comes back in 20 half-samples" in done.stdout
    out = json.loads(run("blanket", SAMPLE, "-t", "satisfaction", "--stability", "4", "--json", "-").stdout)
    assert out["stability"]["shares"]["churn"]["child"] == 1
    shown = on_a_terminal("learn", SAMPLE, "-t", "satisfaction", "--stability", "20")
    assert "in this role" in shown
    assert "shares of 20 half-samples" in shown
    stopped = run("learn", SAMPLE, "-t", "churn", "--stability", "4", "--max-tests", "5")
    assert "the run was stopped, so no half-samples were counted" in stopped.stderr
    assert stopped.returncode == 3
    assert "not settled" in stopped.stdout
    # Refused before anything is read, or else an answer would be found and lost.
    assert "even number" in run("learn", "nowhere.csv", "-t", "churn", "--stability", "3").stderr


UNCHECKED = "directions were not checked by half-samples"


def test_a_check_that_cannot_be_made_keeps_no_answer_back(tmp_path: Path) -> None:
    """The combinations fit in memory, and those in each of the groups that half-samples are made of do not."""
    pl = pytest.importorskip("polars")  # which the oldest dependencies are tried without
    rng = np.random.default_rng(0)
    n = 20_000
    columns = {f"c{i}": rng.integers(0, 3, n) for i in range(8)}
    city = rng.integers(0, 150, n)
    moved = rng.random(n) < 0.2 + 0.3 * (columns["c0"] == 0) + 0.3 * (city % 2)
    table = pl.DataFrame({**columns, "city": [f"city {i}" for i in city], "moved": moved})
    table.write_parquet(tmp_path / "t.parquet")
    asked = ["learn", "t.parquet", "-t", "moved", "--engine", "duckdb", "--memory", "200kB"]
    for more, code, reason in (
        (["--html", "t.html", "--json", "t.json"], 0, UNCHECKED),
        (["--stability", "20"], 3, ""),
    ):
        done = run(*asked, *more, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        assert "direct causes    c0, city" in done.stdout
        assert f"  {UNCHECKED}\n" in done.stdout
        said = " ".join(done.stderr.split())
        assert f"{reason or 'no half-samples were counted'}: 'c" in said
        assert "groups of rows that half-samples are made of, too many" in said
        assert ("lower max_cond_size=" in said) == (code == 3)
    assert f"{UNCHECKED.capitalize()}." in (tmp_path / "t.html").read_text()
    assert json.loads((tmp_path / "t.json").read_text())["unchecked_directions"]


@pytest.mark.parametrize("command", ["learn -t satisfaction --method elcs-exact", "graph --method elcs-global"])
def test_no_half_sample_in_the_time_allowed(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    for kind in (elcs.MarkovBlanket, elcs.CausalGraph):
        at_once = partialmethod(stability_at_once, kind.stability)
        monkeypatch.setattr(kind, "stability", at_once)
    name, *options = command.split()
    for more, code, advice in (
        ([], 0, "--stability 100 counts more"),
        (["--stability", "20"], 3, "a longer --timeout"),
    ):
        done = CliRunner().invoke(app, [name, SAMPLE, *options, *more])
        assert done.exit_code == code
        assert f"no half-sample was finished in the time allowed; {advice}" in " ".join(done.output.split())
        assert UNCHECKED in done.output
        assert "comes back" not in done.output


def stability_at_once(result: Any, stability: Any, n_samples: int, **options: Any) -> Any:
    return stability(result, n_samples, **{**options, "timeout": 0})


def test_directions_by_tests_alone_must_come_back(tmp_path: Path) -> None:
    path = tmp_path / "child.csv"
    table = elcs.networks.load("child").sample(1000, random_state=1)
    columns = [[table.levels[i][code] for code in codes] for i, codes in enumerate(table.codes)]
    path.write_text("\n".join(map(",".join, [table.names, *zip(*columns, strict=True)])))
    unasked = run("learn", str(path), "-t", "Sick", "--method", "elcs-exact")
    assert "half-samples or more" in unasked.stdout or UNCHECKED in unasked.stdout  # on a busy machine
    checked = run("learn", str(path), "-t", "Sick", "--method", "elcs-exact", "--stability", "20").stdout
    assert "70% of 20 half-samples or more" in checked
    rash = run("learn", str(path), "-t", "Sick", "--method", "elcs-exact", "--stability", "0").stdout
    assert UNCHECKED in rash
    assert rash.splitlines()[1:3] != checked.splitlines()[1:3]
    weighed = run("learn", str(path), "-t", "Sick").stdout  # by default, directions are weighed in another way
    assert "half-samples" not in weighed


def test_ctrl_c_shows_what_has_been_counted() -> None:
    command = [*ELCS, "learn", SAMPLE, "-t", "satisfaction", "--stability", "1000000"]
    terminal, other_end = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other_end, text=True)
    os.close(other_end)
    shown = b""
    while not re.search(rb"[1-9]\d* of 1000000 half-samples", shown):
        shown += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    os.close(terminal)
    assert process.returncode == 3
    assert "s; stopped before the end" in output
    assert "churn          100%" in output


def on_a_terminal(*arguments: str) -> str:
    terminal, other_end = pty.openpty()
    process = subprocess.Popen([*ELCS, *arguments], stdout=other_end, stderr=subprocess.DEVNULL)
    os.close(other_end)
    shown = b""
    try:
        while chunk := os.read(terminal, 4096):
            shown += chunk
    except OSError:  # the other end has been closed
        pass
    process.wait(timeout=20)
    return shown.decode()


def test_on_a_terminal_there_is_a_table() -> None:
    shown = on_a_terminal("learn", SAMPLE, "-t", "churn")
    assert "direct cause" in shown
    assert "│" in shown


def test_numbers_are_called_what_they_are() -> None:
    shown = on_a_terminal("learn", SAMPLE, "-t", "churn", "--ci-test", "chi2", "--explain")
    assert re.search(r" chi2 ┃ +p-value ", re.sub(r"\x1b\[[\d;]*m", "", shown))
    assert "(chi2" in shown
    assert "│ < 1e-15 │" in shown
    assert "G2" not in shown
    shown = on_a_terminal("blanket", SAMPLE, "-t", "churn", "--method", "s2tmb")
    assert re.search(r"[\d,]+ scores, [\d,]+ computed", shown)
    assert "G2" not in shown
    assert "p-value" not in shown


def test_numbers_and_gaps_are_told(tmp_path: Path) -> None:
    path = tmp_path / "houses.csv"
    columns = houses(400)
    cells = zip(columns["size"], columns["price"], columns["garden"], strict=True)
    rows = [f"{size:g},{price:g},{garden}" for size, price, garden in cells]
    path.write_text("\n".join(["size,price,garden", *rows]))
    shown = run("learn", str(path), "-t", "price", "--explain").stdout
    assert "\n  400 rows; Careful at alpha 0.01; Blocks\n" in shown
    assert ": the higher size, the higher price." in " ".join(shown.split())
    table = re.sub(r"\x1b\[[\d;]*m", "", on_a_terminal("learn", str(path), "-t", "price"))
    assert re.search(r" r ┃ +T ┃ +p-value ", table)
    assert re.search(r"│ 0.8\d │", table)
    assert "400 rows; Careful at alpha 0.01" in table
    path.write_text("a,b\n" + "x,1\ny,0\nx,\ny,1\n" * 50)
    shown = run("learn", str(path), "-t", "a", "--missing", "level").stdout
    assert (
        "\n  200 rows; G2 at alpha 0.01; BDeu\n  50 of 400 values missing (b 50), taken for a level of their own\n"
        in shown
    )
    shown = run("compare", str(path), "-t", "a", "--missing", "level", "--methods", "iamb").stdout
    assert "  50 of 400 values missing (b 50)" in shown


def test_names_are_not_markup(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("[bold]x[/],[/red]y\n" + "0,0\n1,1\n" * 50 + "0,1\n1,0\n")
    arguments = ("learn", str(path), "-t", "[bold]x[/]")
    for shown in (run(*arguments).stdout, on_a_terminal(*arguments)):
        assert "[bold]x[/]" in shown
        assert "[/red]y" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "churn", "-t", "age"], "'--target': --target is given twice"),
        (["-t", "churn", "-tage"], "'--target': --target is given twice"),
        (["--target=churn", "--target", "age"], "'--target': --target is given twice"),
        (["-t", "churn", "--bins", "4", "--bins", "age=4"], "'--bins': --bins is given twice"),
        (["-t", "churn", "--alpha", "0.1", "--alpha=0.2"], "'--alpha': --alpha is given twice"),
    ],
)
def test_an_option_given_twice_is_refused(arguments: list[str], message: str) -> None:
    done = run("learn", SAMPLE, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_what_may_be_given_twice_and_what_only_looks_so(tmp_path: Path) -> None:
    assert run("learn", SAMPLE, "-t", "churn", "--drop", "age", "--drop", "region", "-q", "-q").returncode == 0
    path = tmp_path / "odd.csv"
    path.write_text("-t,--target\n" + "0,0\n1,1\n" * 50 + "0,1\n1,0\n")
    assert run("learn", str(path), "--target", "--target").stdout.startswith("--target (elcs-hybrid)")
    assert run("learn", str(path), "-t-t").stdout.startswith("-t (elcs-hybrid)")


def test_what_has_no_effect_is_refused() -> None:
    done = run("learn", SAMPLE, "-t", "churn", "--method", "elcs-exact", "--score", "bic")
    assert done.returncode == 1
    assert "score= has no effect on elcs-exact" in done.stderr
    assert run("learn", SAMPLE, "-t", "churn", "--method", "mmhc", "--score", "bic", "-q").returncode == 0


def test_fractions_are_what_notears_is_for(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    rows = zip(x, 2 * x + rng.normal(size=300), rng.normal(size=300), strict=True)
    path.write_text("x,y,z\n" + "".join(f"{a:.4f},{b:.4f},{c:.4f}\n" for a, b, c in rows))
    done = run("graph", str(path), "--method", "notears")
    assert done.returncode == 0, done.stderr
    assert "x -> y" in done.stdout


def test_the_sample_can_be_saved(tmp_path: Path) -> None:
    assert run("demo", "--save", "customers.csv", cwd=tmp_path).returncode == 0
    saved, packaged = elcs.Table.from_any(tmp_path / "customers.csv"), elcs.Table.from_any(SAMPLE)
    assert saved.names == packaged.names
    assert saved.describe() == packaged.describe()
    assert run("demo", "--save", "customers.csv", cwd=tmp_path).returncode == 0  # it is there already
    (tmp_path / "customers.csv").write_text("mine")
    assert "there is another file customers.csv already" in run("demo", "--save", "customers.csv", cwd=tmp_path).stderr


def test_the_demo_explains_its_words() -> None:
    told = run("demo").stdout
    assert "other causes     contract (of churn)" in told
    assert "the Markov\nblanket of satisfaction: the columns" in told
    assert "elcs demo --save customers.csv" in told


def test_a_table_may_come_through_a_pipe() -> None:
    text = gzip.decompress(Path(SAMPLE).read_bytes())
    done = subprocess.run([*ELCS, "learn", "-", "-t", "churn"], input=text, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"direct causes    contract, satisfaction" in done.stdout


def test_what_is_known_can_be_said_in_options_and_in_a_file(tmp_path: Path) -> None:
    plain = run("learn", SAMPLE, "-t", "contract")
    assert "cause or effect  age" in plain.stdout
    for said in (["--exogenous", "age,region"], ["--exogenous", "age", "--exogenous", "region"]):
        done = run("learn", SAMPLE, "-t", "contract", *said, "--outcome", "winback_offer", "--explain")
        assert done.returncode == 0, done.stderr
        assert "direct causes    age" in done.stdout
        assert "you said         nothing causes age" in done.stdout
        assert "You said that nothing causes age, so age -> contract." in " ".join(done.stdout.split())
    done = run("graph", SAMPLE, "--before", "age, region < contract,price_rise < churn")
    assert done.returncode == 0, done.stderr
    assert "age -> contract (you said: age comes before contract)" in done.stdout

    file, answer = tmp_path / "known.toml", tmp_path / "answer.json"
    file.write_text('required = [["contract", "churn"]]\n')
    done = run("learn", SAMPLE, "-t", "contract", "--knowledge", str(file), "--exogenous", "age", "--json", str(answer))
    assert done.returncode == 0, done.stderr
    told = json.loads(answer.read_text())
    assert told["knowledge"] == {"required": [["contract", "churn"]], "exogenous": ["age"]}
    assert (told["parents"], told["children"]) == (["age"], ["churn"])
    for command in (
        ["blanket", SAMPLE, "-t", "contract"],
        ["compare", SAMPLE, "-t", "contract", "--methods", "elcs,iamb"],
    ):
        assert run(*command, "--knowledge", str(file), "--before", "age < contract").returncode == 0


def test_what_is_known_and_cannot_be_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text('tiers = [["churn"], ["age"]]\nrequired = [["churn", "contract"]]\n')
    asked = ["learn", SAMPLE, "-t", "contract"]
    for said, code, message in (
        (["--exogenous", "agge"], 1, "there is no column 'agge'; did you mean 'age'"),
        (["--before", "age < < churn"], 2, "must be columns separated by commas, and <"),
        (["--before", "age, sex"], 2, "must say what comes before what, as in 'age,sex < churn'; 'age, sex' has no <"),
        (["--knowledge", str(file), "--before", "age < churn"], 2, "has tiers of its own; give the order in one place"),
        (["--knowledge", str(file), "--outcome", "churn"], 1, "churn causes contract; churn causes nothing"),
        (["--knowledge", "nowhere.toml"], 1, "cannot read the knowledge file nowhere.toml"),
    ):
        done = run(*asked, *said)
        assert done.returncode == code, done.stderr
        assert message in " ".join(done.stderr.replace("│", "").split())
        assert done.stdout == ""


def test_data_that_contradict_what_is_known_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text('required = [["age", "satisfaction"]]\n')
    for command in (["graph", SAMPLE], ["learn", SAMPLE, "-t", "satisfaction"]):
        told = tmp_path / "told.json"
        done = run(*command, "--knowledge", str(file), "--json", str(told))
        words = " ".join(done.stdout.split())
        assert "You said that age causes satisfaction, but a test separates them: " in words
        assert words.endswith("are independent (p = 0.74). What you said was followed.")
        (conflict,) = json.loads(told.read_text())["conflicts"]
        assert conflict["followed"]
        assert conflict["first"]["said"] == "age causes satisfaction"
        assert conflict["second"]["tests"][0]["p_value"] == pytest.approx(0.74, abs=0.01)


def test_columns_to_leave_out_may_be_separated_by_commas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b,"a,b",c\n' + "0,1,0,1\n1,0,0,1\n1,1,1,0\n0,0,1,1\n")

    def columns(*options: str) -> list[str]:
        told = run("describe", str(path), *options).stdout.splitlines()[2:]
        return [line.split()[0] for line in told if not line.startswith("look at: ")]

    assert columns("--drop", "a, c") == ["b", "a,b"]
    assert columns("--drop", "a,b") == ["a", "b", "c"]  # the name of one column


def test_standard_input_is_called_so_and_may_be_gzipped() -> None:
    zipped = Path(SAMPLE).read_bytes()
    done = subprocess.run([*ELCS, "describe", "-"], input=zipped, capture_output=True)
    assert done.stdout.startswith(b"4,000 observations of 10 columns")
    for wrong, message in (
        (b"", b"standard input is empty"),
        (zipped[:-9], b"standard input is not a valid gzip file"),
    ):
        done = subprocess.run([*ELCS, "describe", "-"], input=wrong, capture_output=True)
        assert done.returncode == 1
        assert message in b" ".join(done.stderr.split())
        assert b"/tmp" not in done.stderr
