from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elcs import DataError, KnowledgeError
from elcs.networks import Network, available, load, read_bif, write_bif

RAIN = """network rain {
  property author someone ;
}
// the sky
variable rain {
  type discrete [ 2 ] { no, yes };
  property position = (73, 165) ;
}
variable wet { /* the
grass */
  type discrete [ 3 ] { dry, moist, "soaking; wet" };
}
probability ( rain ) {
  table 0.8, 0.2;
}
probability ( wet | rain ) {
  (no) 0.9, 0.09, 0.01;
  (yes) 0.05, 0.15, 0.8;
}
"""

ODD_NAMES = st.text(st.characters(codec="utf-8"), max_size=8)
NAMES = st.one_of(st.sampled_from(["a", "x_1", "table", "}", '"', "\\", 'a"\\', "//", "a/*b", " b ", "ü\n"]), ODD_NAMES)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    names = draw(st.lists(NAMES.filter(str.strip), min_size=1, max_size=5, unique=True))
    levels = {name: tuple(draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))) for name in names}
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parents, tables = {}, {}
    for i, name in enumerate(names):
        parents[name] = tuple(draw(st.permutations(names[:i])))[: draw(st.integers(0, 3))]
        shape = [len(levels[parent]) for parent in parents[name]]
        tables[name] = rng.dirichlet([0.1] * len(levels[name]), size=shape)
    order = draw(st.permutations(names))
    return Network(draw(ODD_NAMES), tuple(order), levels, parents, tables)


@settings(max_examples=100, deadline=None)
@given(networks())
def test_reading_what_was_written_gives_the_same_network(network: Network) -> None:
    assert read_bif(write_bif(network)) == network


@pytest.mark.parametrize("name", [name for name in available() if name != "gene-like"])  # which takes seconds
def test_library_networks_survive_a_round_trip(name: str) -> None:
    assert read_bif(write_bif(load(name))) == load(name)


def test_reads_comments_properties_and_quotes() -> None:
    network = read_bif(RAIN)
    assert network.name == "rain"
    assert network.levels["wet"] == ("dry", "moist", "soaking; wet")
    assert network.parents["wet"] == ("rain",)
    np.testing.assert_array_equal(network.tables["wet"], [[0.9, 0.09, 0.01], [0.05, 0.15, 0.8]])


def test_a_table_lists_the_variable_itself_slowest() -> None:
    listed = RAIN.replace("(no) 0.9, 0.09, 0.01;", "table 0.9, 0.05, 0.09, 0.15, 0.01, 0.8;").replace(
        "  (yes) 0.05, 0.15, 0.8;\n", ""
    )
    assert read_bif(listed) == read_bif(RAIN)


def test_default_fills_in_what_is_not_listed() -> None:
    assert read_bif(RAIN.replace("(yes)", "default")) == read_bif(RAIN)


def test_rounded_probabilities_are_made_to_sum_to_one() -> None:
    table = read_bif(RAIN.replace("0.9, 0.09, 0.01", "0.3333, 0.3333, 0.3333")).tables["wet"]
    np.testing.assert_allclose(table[0], 1 / 3, rtol=1e-15)


@pytest.mark.parametrize("file", ["rain.bif", "rain.bif.gz"])
def test_files(tmp_path: Path, file: str) -> None:
    network = read_bif(RAIN)
    text = write_bif(network, tmp_path / file)
    stored = (tmp_path / file).read_bytes()
    assert (gzip.decompress(stored) if file.endswith("gz") else stored).decode() == text
    assert read_bif(tmp_path / file) == read_bif(str(tmp_path / file)) == network
    write_bif(network, tmp_path / f"again-{file}")
    assert (tmp_path / f"again-{file}").read_bytes() == stored


MALFORMED = [
    ("no head", "network rain", "net rain", 1, "starts with 'network', found 'net'"),
    ("unknown block", "probability ( rain )", "utility ( rain )", 13, "expected 'variable' or 'probability'"),
    ("property without end", "property author someone ;\n}", "property author someone\n", 2, "not ended by ';'"),
    ("no type", "type discrete [ 2 ] { no, yes };", "", 5, "variable 'rain' has no type"),
    ("continuous", "discrete [ 2 ]", "continuous [ 2 ]", 6, "of type 'continuous'"),
    ("count of levels", "[ 2 ]", "[ 3 ]", 6, "said to have 3 levels, but 2 follow"),
    ("count is a word", "[ 2 ]", "[ two ]", 6, "expected the number of levels, found 'two'"),
    ("comma", "{ no, yes }", "{ no yes }", 6, "expected ',' or '}', found 'yes'"),
    ("level twice", "{ no, yes }", "{ no, no }", 6, "level 'no' more than once"),
    ("variable twice", "variable wet", "variable rain", 9, "described a second time, after line 5"),
    ("unclosed quote", '"soaking; wet"', '"soaking; wet', 11, "quote is never closed"),
    ("unclosed comment", "grass */", "grass", 9, "comment is never closed"),
    ("unknown variable", "probability ( rain )", "probability ( rian )", 13, "did you mean 'rain'"),
    ("unknown parent", "wet | rain", "wet | snow", 16, "no variable 'snow'"),
    ("own parent", "wet | rain", "wet | rain, wet", 16, "'wet' is its own parent"),
    ("parent twice", "wet | rain", "wet | rain, rain", 16, "'rain' is named as a parent twice"),
    ("no bar", "wet | rain", "wet rain", 16, "expected '|' or ')', found 'rain'"),
    ("block twice", "probability ( wet | rain )", "probability ( rain )", 16, "given a second time, after line 13"),
    ("sum", "0.8, 0.2;", "0.8, 0.3;", 14, "sum to 1.1 instead of 1"),
    ("sum of a row", "0.15, 0.8", "0.15, 0.7", 18, "the probabilities of 'wet' sum to 0.9"),
    ("not a number", "0.8, 0.2;", "0.8, o.2;", 14, "a number from 0 to 1, found 'o.2'"),
    ("underscore", "0.8, 0.2;", "0.8, 0_2;", 14, "found '0_2'"),
    ("nan", "0.8, 0.2;", "nan, 0.2;", 14, "found 'nan'"),
    ("negative", "0.8, 0.2;", "1.2, -0.2;", 14, "found '1.2'"),
    ("too few", "0.05, 0.15, 0.8", "0.05, 0.95", 18, "2 probabilities are given for the 3 levels of 'wet'"),
    ("too many", "table 0.8, 0.2", "table 0.8, 0.1, 0.1", 14, "has 3 probabilities; it needs 2"),
    ("unknown level", "(yes)", "(yess)", 18, "parent 'rain': there is no level 'yess'; did you mean 'yes'"),
    ("too many levels", "(yes)", "(yes, no)", 18, "2 levels are given for 1 parents"),
    ("configuration twice", "(yes)", "(no)", 18, "configuration (no) is given a second time"),
    ("configuration missing", "  (yes) 0.05, 0.15, 0.8;\n", "", 18, "'wet' when its parents are (yes) are missing"),
    ("table and rows", "(yes) 0.05", "table 0.9, 0.05, 0.09, 0.15, 0.01, 0.8;(yes) 0.05", 19, "give one of them"),
    ("no semicolon", "0.15, 0.8;", "0.15, 0.8", 19, "expected ',' or ';', found '}'"),
    ("cut off", "0.05, 0.15, 0.8;\n}\n", "0.05, 0.15", 18, "found the end of the file"),
]


@pytest.mark.parametrize(("old", "new", "line", "reason"), [pytest.param(*c[1:], id=c[0]) for c in MALFORMED])
def test_malformed_text_gives_line_and_reason(tmp_path: Path, old: str, new: str, line: int, reason: str) -> None:
    assert old in RAIN
    text = RAIN.replace(old, new, 1)
    with pytest.raises(DataError) as caught:
        read_bif(text)
    assert str(caught.value).startswith(f"the text, line {line}: ")
    assert reason in str(caught.value)
    (tmp_path / "bad.bif").write_text(text)
    with pytest.raises(DataError, match=f"bad.bif', line {line}: "):
        read_bif(tmp_path / "bad.bif")


def test_variable_without_probabilities() -> None:
    with pytest.raises(DataError, match="line 9: variable 'wet' has no probabilities"):
        read_bif(RAIN[: RAIN.index("probability ( wet")])


def test_a_table_in_the_wrong_order_is_explained() -> None:
    wrong = RAIN.replace("(no) 0.9, 0.09, 0.01;", "table 0.9, 0.09, 0.01, 0.05, 0.15, 0.8;").replace(
        "  (yes) 0.05, 0.15, 0.8;\n", ""
    )
    with pytest.raises(DataError, match="line 17: .* the variable itself changing slowest"):
        read_bif(wrong)


def test_cycle() -> None:
    text = RAIN.replace(
        "probability ( rain ) {\n  table 0.8, 0.2;",
        'probability ( rain | wet ) {\n  (dry) 1, 0; (moist) 0, 1; ("soaking; wet") 0, 1;',
    )
    with pytest.raises(KnowledgeError, match="line 1[36]: the parents form the cycle"):
        read_bif(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere.bif' does not exist"):
        read_bif(tmp_path / "nowhere.bif")
    with pytest.raises(DataError, match="does not exist"):
        read_bif("alarm")
    (tmp_path / "not.bif.gz").write_text(RAIN)
    with pytest.raises(DataError, match="not a valid gzip file"):
        read_bif(tmp_path / "not.bif.gz")
    (tmp_path / "latin.bif").write_bytes(RAIN.replace("moist", "feücht").encode("latin-1"))
    with pytest.raises(DataError, match="line 11: byte 0xfc is not UTF-8"):
        read_bif(tmp_path / "latin.bif")
    with pytest.raises(DataError, match="cannot be read"):
        read_bif(tmp_path)
    with pytest.raises(DataError, match="cannot be read: File name too long"):
        read_bif("network rain " * 1000)
    (tmp_path / "empty.bif").write_text("")
    with pytest.raises(DataError, match="line 1: a BIF file starts with 'network', found the end of the file"):
        read_bif(tmp_path / "empty.bif")
