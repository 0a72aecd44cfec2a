"""The words and marks of BIF files, each with its place in the text."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from elcs.errors import DataError

__all__ = ["Token", "Tokens"]

_TOKEN = re.compile(
    r"""(?:\s+|//[^\n]*|/\*.*?\*/)*
        (?: (?P<mark>[{}()\[\],;|])
          | (?P<word>(?:[^\s{}()\[\],;|"/]|/(?![/*]))+)
          | "(?P<quoted>(?:[^"\\]|\\.)*)"
          | (?P<end>\Z)
          | (?P<unclosed>["/]) )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\([\\"])')


class Token(NamedTuple):
    """A piece of the text: of kind 'mark', 'word' or 'quoted', or the 'end' of the text."""

    kind: str
    text: str
    start: int

    def __str__(self) -> str:
        return "the end of the file" if self.kind == "end" else repr(self.text)


class Tokens:
    """A text, read token by token; `title` is what messages call it.

    Examples
    --------
    >>> tokens = Tokens("{ yes, 'no, maybe' }", "the text")
    >>> tokens.take("{").start
    0
    >>> [token.text for token in tokens.take_names("a level", "}")]
    ['yes', "'no", "maybe'"]
    """

    def __init__(self, text: str, title: str) -> None:
        self.title = title
        self._text = text
        self._stream = _TOKEN.finditer(text)
        self.ahead = self._next()

    def advance(self) -> Token:
        """Return the next token and go past it."""
        token = self.ahead
        if token.kind != "end":
            self.ahead = self._next()
        return token

    def _next(self) -> Token:
        found = next(self._stream)
        kind = found.lastgroup or "end"
        token = Token(kind, found[kind], found.start(kind))
        if kind == "quoted":
            return token._replace(text=_ESCAPE.sub(r"\1", token.text))
        if kind == "unclosed":
            self.refuse(f"this {'comment' if token.text == '/' else 'quote'} is never closed", token)
        return token

    def takes(self, mark: str) -> bool:
        """Tell whether a mark is next, and go past it if so."""
        found = self.ahead.kind == "mark" and self.ahead.text == mark
        if found:
            self.advance()
        return found

    def takes_keyword(self, word: str) -> bool:
        """Tell whether a word is next, not in quotes, and go past it if so."""
        found = self.ahead.kind == "word" and self.ahead.text == word
        if found:
            self.advance()
        return found

    def take(self, mark: str, expected: str = "") -> Token:
        """Go past a mark, or refuse the text."""
        token = self.ahead
        if not self.takes(mark):
            self.refuse(f"expected {expected or repr(mark)}, found {token}", token)
        return token

    def take_name(self, what: str) -> Token:
        """Return a word, or something in quotes."""
        if self.ahead.kind not in ("word", "quoted"):
            self.refuse(f"expected {what}, found {self.ahead}", self.ahead)
        return self.advance()

    def take_names(self, what: str, end: str) -> list[Token]:
        """Return names with commas between them, up to a mark."""
        names = [self.take_name(what)]
        while not self.takes(end):
            self.take(",", f"',' or {end!r}")
            names.append(self.take_name(what))
        return names

    def skip_property(self, expected: str) -> None:
        """Go past a property; refuse the text if there is none."""
        start = self.ahead
        if not self.takes_keyword("property"):
            self.refuse(f"expected {expected}, found {start}", start)
        while not self.takes(";"):
            token = self.advance()
            if token.kind == "end" or (token.kind == "mark" and token.text in "{}"):
                self.refuse("this property is not ended by ';'", start)

    def line(self, token: Token) -> int:
        """Return the number of the line on which a token starts."""
        return self._text.count("\n", 0, token.start) + 1

    def refuse(self, fault: str, token: Token) -> NoReturn:
        """Raise an error about a token."""
        raise DataError(f"{self.title}, line {self.line(token)}: {fault}")
