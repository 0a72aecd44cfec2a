"""A benchmark runs, is interrupted, goes on, and reports what it found."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import elcs
from elcs.evaluation.benchmark import Settings, cells, run, run_cell
from elcs.evaluation.journal import Cell, Journal, Record
from elcs.evaluation.paper import NETWORKS, TABLES, Figure, published
from elcs.evaluation.report import blocks, to_html, to_markdown
from elcs.evaluation.summary import Summary, tidy_csv, verdict
from elcs.processes import undisturbed

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""A limit that strikes while the garbage collector calls Hypothesis is lost there, and strikes again, as it should."""

ELCS = [sys.executable, "-c", "from elcs.cli import main; main()"]
BENCH = ["bench", "run", "--methods", "elcs-exact,iamb", "--networks", "asia,sachs", "--samples", "300", "--jobs", "2"]

HYBRID = ["elcs-hybrid decided=false", "elcs-hybrid"]


def timeless(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        rows = [{k: v for k, v in row.items() if k not in ("cpu", "wall")} for row in csv.DictReader(file)]
    return sorted(rows, key=lambda row: (row["method"], row["network"], row["repetition"], row["target"]))


def test_a_cell_has_a_row_for_every_variable() -> None:
    record = run_cell(Cell("elcs-exact", "asia", 500, 1), Settings())
    assert record["status"] == "done"
    assert [row["target"] for row in record["targets"]] == list(elcs.networks.load("asia").variables)
    for row in record["targets"]:
        assert 0 <= row["ArrP"] <= 1
        assert row["tests"] >= row["computed"] >= 0
    again = run_cell(Cell("elcs-exact", "asia", 500, 1), Settings())
    other = run_cell(Cell("elcs-exact", "asia", 500, 2), Settings())
    tests = [[row["tests"] for row in r["targets"]] for r in (record, again, other)]
    assert tests[0] == tests[1] != tests[2]


def test_a_cell_that_takes_too_long_is_given_up() -> None:
    record = run_cell(Cell("elcs", "alarm", 1000, 1), Settings(limit_seconds=0.0))
    assert record["status"] == "limit"
    records = {Cell("elcs", "alarm", 1000, 1): record}
    assert Summary(records).figure("elcs", "alarm", 1000, "ArrP") is None
    assert "| elcs | - |" in to_markdown(blocks(records))


def test_the_limit_counts_cpu_time_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def waiting(study: elcs.Study, target: str) -> elcs.MarkovBlanket:
        time.sleep(0.1)
        return learn(study, target)

    learn = elcs.learn
    monkeypatch.setattr(elcs, "learn", waiting)
    wall = time.perf_counter()
    assert run_cell(Cell("elcs", "asia", 500, 1), Settings(limit_seconds=0.75))["status"] == "done"
    assert time.perf_counter() - wall > 0.75
    monkeypatch.undo()
    cpu = time.process_time()
    assert run_cell(Cell("sll", "alarm", 1000, 1), Settings(limit_seconds=0.5))["status"] == "limit"
    assert 0.4 < time.process_time() - cpu < 5


def test_only_the_best_time_is_bold() -> None:
    record = run_cell(Cell("elcs", "alarm", 1000, 1), Settings())

    def taking(seconds: float) -> Record:
        return {**record, "targets": [{**row, "cpu": seconds} for row in record["targets"]]}

    records = {Cell("elcs", "alarm", 1000, 1): taking(0.00165), Cell("elcs-ii", "alarm", 1000, 1): taking(0.00163)}
    text = to_markdown(blocks(records))
    assert "**0.0016 ± 0.0000" in text
    assert "| 0.0016 ± 0.0000" in text or "| 0.0017 ± 0.0000" in text


def test_a_method_given_up_once_is_not_tried_on_the_other_data_sets(tmp_path: Path) -> None:
    plan = cells(["sll", "gs"], ["alarm"], [500, 1000], 3)
    seen = []
    settings = Settings(limit_seconds=1.0)
    with Journal(tmp_path / "journal.jsonl", settings.to_dict()) as journal:
        run(plan, settings, journal, n_jobs=1, report=lambda cell, record: seen.append((cell, record["status"])))
    assert dict(seen) == {cell: "limit" if cell.method == "sll" else "done" for cell in plan}
    assert len({id(record) for cell, record in journal.records.items() if cell.method == "sll"}) <= 2


def test_a_method_given_up_on_many_rows_is_tried_on_fewer(tmp_path: Path) -> None:
    given_up, fewer = cells(["gs"], ["asia"], [1000, 500], 1)
    settings = Settings()
    with Journal(tmp_path / "journal.jsonl", settings.to_dict()) as journal:
        journal.append(given_up, {"status": "limit", "variables": 8, "targets": []})
        run([given_up, fewer], settings, journal, n_jobs=1)
        assert journal.records[fewer]["status"] == "done"


def test_a_method_given_up_on_some_data_sets_is_tried_on_more_rows(tmp_path: Path) -> None:
    done, given_up, more = Cell("gs", "asia", 500, 1), Cell("gs", "asia", 500, 2), Cell("gs", "asia", 1000, 1)
    settings = Settings()
    with Journal(tmp_path / "journal.jsonl", settings.to_dict()) as journal:
        journal.append(done, run_cell(done, settings))
        journal.append(given_up, {"status": "limit", "variables": 8, "targets": []})
        run([done, given_up, more], settings, journal, n_jobs=1)
        assert journal.records[more]["status"] == "done"


def test_killed_and_continued_gives_the_same_figures(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    done = subprocess.run([*ELCS, *BENCH, "--out", str(whole)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr

    process = subprocess.Popen([*ELCS, *BENCH, "--out", str(parts)], stderr=subprocess.DEVNULL, start_new_session=True)
    journal = parts / "journal.jsonl"
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = journal.read_bytes().count(b"\n") - 1

    done = subprocess.run([*ELCS, *BENCH, "--out", str(parts)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert f"{before} of 12 cells" in done.stderr
    assert timeless(parts / "targets.csv") == timeless(whole / "targets.csv")
    assert (parts / "report.html").read_text().startswith("<!doctype html>")


def ends(group: int) -> bool:
    """Wait for the last process of a group to end."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ended_on_request_it_says_how_to_go_on(tmp_path: Path, how: signal.Signals) -> None:
    command = [*ELCS, "bench", "run", "--methods", "sll", "--networks", "alarm", "--samples", "1000"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path), "--jobs", "1"], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not (tmp_path / "journal.jsonl").exists():
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(how)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "the same command continues" in told
    assert "Traceback" not in told
    assert ends(process.pid), "processes are left behind"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_start_of_a_process_is_not_interrupted(how: signal.Signals) -> None:
    before = signal.signal(how, signal.default_int_handler)
    reached = []
    try:
        with pytest.raises(KeyboardInterrupt), undisturbed():  # noqa: PT012
            os.kill(os.getpid(), how)
            time.sleep(0.01)  # another thread may receive it
            reached.append(signal.pthread_sigmask(signal.SIG_BLOCK, []))
    finally:
        signal.signal(how, before)
    assert reached
    assert how in reached[0]  # for the process that is started
    assert how not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_files_are_used_where_there_are_some(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "graph.csv").write_text("parent,child\na,b\n")
    (folder / "s200_v1.csv").write_text("a,b\n" + "0,0\n1,1\n" * 100)
    record = run_cell(Cell("elcs-exact", "mine", 200, 1), Settings(data=str(tmp_path)))
    assert [row["SHD"] for row in record["targets"]] == [1, 1]
    assert [row["cpdag SHD"] for row in record["targets"]] == [0, 0]


def test_a_column_that_does_not_vary_is_a_target_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "graph.csv").write_text("parent,child\na,b\nc,b\n")
    (folder / "s200_v1.csv").write_text("a,b,c\n" + "0,0,0\n1,1,0\n" * 100)
    cell, settings = Cell("elcs-exact", "mine", 200, 1), Settings(data=str(tmp_path))
    record = run_cell(cell, settings)
    assert [row["cpdag SHD"] for row in record["targets"]] == [1, 2, 1]  # c - b is missing, a -> b has no direction
    with Journal(tmp_path / "journal.jsonl", settings.to_dict()) as journal:
        journal.append(cell, record)
    with Journal(tmp_path / "journal.jsonl", settings.to_dict()) as journal:
        assert journal.records == {cell: record}


def test_by_default_all_data_sets_of_a_folder_are_used_and_three_are_sampled(tmp_path: Path) -> None:
    folder = tmp_path / "alarm"
    folder.mkdir()
    (folder / "graph.csv").write_text("parent,child\na,b\n")
    for version in (1, 2, 4, 7):
        (folder / f"s200_v{version}.csv").write_text("a,b\n0,0\n1,1\n")

    def data_sets(samples: int, repetitions: int | None = None) -> list[int]:
        return [cell.repetition for cell in cells(["gs"], ["alarm"], [samples], repetitions, str(tmp_path))]

    assert data_sets(200) == data_sets(200, 9) == [1, 2, 4, 7]  # none is sampled to go with those of the folder
    assert data_sets(200, 3) == [1, 2, 4]
    assert data_sets(300) == [1, 2, 3]
    assert data_sets(300, 1) == [1]


def test_a_report_says_for_each_size_where_the_data_come_from(tmp_path: Path) -> None:
    """A folder may have data sets of one size only, of a network with other edges than ours."""
    folder = tmp_path / "data" / "asia"
    folder.mkdir(parents=True)
    (folder / "graph.csv").write_text("parent,child\na,b\n")
    (folder / "s1000_v1.csv").write_text("a,b\n" + "0,0\n1,1\n" * 500)
    command = [*ELCS, "bench", "run", "--methods", "elcs", "--networks", "asia", "--samples", "1000,5000"]
    command += ["--repetitions", "1", "--data", str(tmp_path / "data"), "--out", str(tmp_path), "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "report.md").read_text()
    few, many = text[text.index("1,000 rows") :], text[: text.index("1,000 rows")]
    assert "1 data set, original data" in few
    assert "| ceiling | 0.000 |" in few  # the only edge has no direction that can be learnt
    assert "1 data set, sampled here" in many
    assert "| ceiling | 0.000 |" not in many


def test_options_follow_the_name_of_a_method() -> None:
    settings = Settings()
    every, decided = (run_cell(cell, settings) for cell in cells(HYBRID, ["asia"], [500], 1))
    n_directed = [sum(row["ArrR"] for row in record["targets"]) for record in (every, decided)]
    assert n_directed[0] > n_directed[1]


@pytest.mark.parametrize("options", ["decided", "decided=perhaps", "decides=false"])
def test_options_that_there_are_not_are_refused(options: str) -> None:
    with pytest.raises(elcs.ElcsError, match="option"):
        cells([f"elcs-hybrid {options}"], ["asia"], [500])


def test_wrong_names_are_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(elcs.ElcsError, match="no method 'elsc'"):
        cells(["elsc"], ["alarm"], [1000], 1)
    done = subprocess.run(
        [*ELCS, "bench", "paper", "--table", "local-500", "--out", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "the tables are local-5000" in done.stderr


@pytest.mark.parametrize(
    ("metric", "ours", "theirs", "expected"),
    [
        ("F1", Figure(0.90, 0.01), Figure(0.90, 0.0), "="),
        ("F1", Figure(0.915, 0.01), Figure(0.90, 0.0), "~"),
        ("F1", Figure(0.95, 0.01), Figure(0.90, 0.01), "+"),
        ("F1", Figure(0.85, 0.01), Figure(0.90, 0.01), "-"),
        ("SHD", Figure(1.5, 0.1), Figure(1.0, 0.1), "-"),
        ("SHD", Figure(0.5, 0.1), Figure(1.0, 0.1), "+"),
    ],
)
def test_verdicts(metric: str, ours: Figure, theirs: Figure, expected: str) -> None:
    assert verdict(metric, ours, theirs) == expected


def test_all_published_figures_can_be_reached() -> None:
    found = [
        published(table, network, method, metric)
        for table in TABLES.values()
        for network in NETWORKS
        for method, algorithm in table.methods.items()
        if algorithm
        for metric in table.metrics
    ]
    assert sum(figure is not None for figure in found) > 1000
    assert published(TABLES["blanket-1000"], "child", "hiton-mb", "F1") == Figure(0.87, 0.02)


def test_reports(tmp_path: Path) -> None:
    targets = [{"target": "<b>", "Precision": 1.0, "Recall": 0.5, "F1": 0.67, "Distance": 0.5, "tests": 10, "cpu": 0.1}]
    record: Record = {"status": "done", "variables": 2, "targets": targets}
    worse: Record = json.loads(json.dumps(record))
    worse["targets"][0]["F1"] = 0.5
    records = {Cell("iamb", "alarm", 1000, 1): record, Cell("emb", "alarm", 1000, 1): worse}
    text = to_markdown(blocks(records))
    assert "## Markov blankets, 1,000 rows" in text
    assert "**0.67 ± 0.00 (0.81" in text
    assert "<script" not in to_html(blocks(records))
    assert tidy_csv(records).splitlines()[1].startswith("iamb,alarm,1000,1,<b>,1.0")


def test_a_method_that_is_not_installed_is_marked_and_the_others_run(tmp_path: Path) -> None:
    without = "import sys; sys.modules['torch'] = None; from elcs.cli import main; main()"
    options = ["--methods", "elcs,dag-gnn", "--networks", "asia", "--samples", "1000", "--repetitions", "1"]
    done = subprocess.run(
        [sys.executable, "-c", without, "bench", "run", *options, "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "dag-gnn was not run: it needs torch, which is not installed" in done.stderr
    report = (tmp_path / "report.md").read_text()
    assert "| dag-gnn | not run |" in report
    assert "| elcs | **" in report
    journal = (tmp_path / "journal.jsonl").read_text()
    assert "dag-gnn" not in journal  # so that the same command runs it once PyTorch is there


def test_the_head_of_a_journal_tells_the_plan() -> None:
    assert Settings(elcs.Plan(alpha=0.05, ci_test="g2", max_tests=10)).to_dict() == {
        "alpha": 0.05,
        "ci_test": "g2",
        "max_cond_size": 3,
        "max_tests": 10,
        "limit_seconds": None,
        "data": None,
        "seed": 0,
    }


def test_a_benchmark_takes_what_is_known() -> None:
    known = elcs.Knowledge(exogenous=["asia", "smoke"], outcomes=["xray", "dysp"])
    settings = Settings(elcs.Plan(ci_test="g2", knowledge=known))
    assert settings.to_dict()["knowledge"] == known.to_dict()
    errors = []
    for some in (Settings(), settings):
        record = run_cell(Cell("elcs-global", "asia", 5000, 1), some)
        errors.append(sum(row["SHD"] for row in record["targets"]))
    assert errors[1] < errors[0]
