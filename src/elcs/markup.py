"""Small pieces of HTML: text that is nothing but text, tables, and what a notebook shows.

Names of columns and levels may hold anything, so nothing gets into HTML but through `clean`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["clean", "note", "note_table", "shown"]

_STYLE = """
.elcs { --page: #fff; --ink: #1a1a1a; --quiet: #595959; --edge: #5f6670; --pale: #b3bac2; --node: #eef2f6; }
.elcs { --rule: #d9dce0; overflow-x: auto; }
.elcs svg { display: block; max-width: 100%; height: auto; }
.elcs table { margin: .4em 0; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.elcs.elcs table th, .elcs.elcs table td { padding: .2em .7em; border: 0; border-bottom: 1px solid var(--rule); }
.elcs.elcs table th, .elcs.elcs table td { text-align: left; vertical-align: top; }
.elcs.elcs table .number { text-align: right; white-space: nowrap; }
.elcs p { margin: .3em 0; }
""".strip()
_DARK = (
    "--page: #16191d; --ink: #e8eaed; --quiet: #a9b0b8; --edge: #9aa4af; --pale: #565e68; --node: #262c33; "
    "--rule: #3a4149; --faint-parent: #f2b632; --faint-child: #56b4e9; --faint-spouse: #d990b8;"
)
# JupyterLab and exported notebooks say whether they are dark, VS Code has a class; elsewhere, what the reader prefers.
_DARK_RULES = f"""
body[data-jp-theme-light="false"] .elcs, .vscode-dark .elcs {{ {_DARK} }}
@media (prefers-color-scheme: dark) {{
  body:not([data-jp-theme-light]):not(.vscode-light) .elcs {{ {_DARK} }}
}}
""".strip()


def shown(name: str) -> str:
    r"""Return a name as it can be drawn: what cannot be printed is replaced, a name that looks empty is quoted.

    Examples
    --------
    >>> shown("a\tb"), shown(" ")
    ('a b', "' '")
    """
    text = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in name)
    return text if text.strip() else repr(text)


def clean(text: str) -> str:
    r"""Escape text from anywhere so that it is nothing but text.

    Examples
    --------
    >>> clean("<b>&\n")
    '&lt;b&gt;&amp; '
    """
    from html import escape  # here, because it takes a millisecond to import

    return escape(shown(text))


def note(*parts: str, css: str = "") -> str:
    """Put pieces of HTML together for a notebook: with a style for light and dark, and without a script."""
    return f'<div class="elcs"><style>{_STYLE}{css}{_DARK_RULES}</style>{"".join(parts)}</div>'


def note_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[str] = ()) -> str:
    """Write a small table of texts; the columns with these headings are aligned as numbers are.

    Examples
    --------
    >>> note_table(["name", "n"], [["<a>", "1"]], numbers=["n"])[-68:]
    '<tr><td>&lt;a&gt;</td><td class="number">1</td></tr></tbody></table>'
    """
    kinds = [' class="number"' if head in numbers else "" for head in heads]
    top = "".join(f"<th{kind}>{clean(head)}</th>" for head, kind in zip(heads, kinds, strict=True))
    body = (
        "".join(f"<td{kind}>{clean(cell) if cell else ''}</td>" for cell, kind in zip(row, kinds, strict=True))
        for row in rows
    )
    lines = "".join(f"<tr>{cells}</tr>" for cells in body)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"
