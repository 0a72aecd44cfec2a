"""Commands that take the options of a plan and of reading, and refuse an option given twice."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from elcs.cli.options import KNOWN, PLAN, READING
from elcs.cli.parsing import check_outputs, from_standard_input, understood
from elcs.study.question import Question

__all__ = ["Command", "asking", "reading"]


def asking(question: Question, *, method: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take all options of a plan and of reading; it receives those that were given as `keywords`."""
    options = {name: option for name, option in PLAN.items() if name not in question.refuses} | KNOWN | READING
    if method:
        told = "Which method; 'elcs methods' lists them."
        options = {"method": Annotated[str | None, typer.Option(help=told, show_default=question.method)], **options}
    return lambda command: _with_options(command, options)


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the options of reading alone."""
    return _with_options(command, READING)


def _with_options(command: Callable[..., None], options: dict[str, Any]) -> Callable[..., None]:
    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "keywords"]

    def run(**arguments: Any) -> None:
        check_outputs(arguments)
        arguments["data"] = from_standard_input(arguments["data"])
        said = {name: arguments.pop(name) for name in options}
        given = {name: value for name, value in said.items() if value is not None and value != []}
        command(keywords=understood(given), **arguments)

    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(name, keyword, default=None, annotation=option) for name, option in options.items()]
    needed = [p for p in own if p.default is p.empty]
    parameters = [p.replace(kind=keyword) for p in (*needed, *added, *(p for p in own if p not in needed))]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


class Command(TyperCommand):
    """A command that refuses an option given twice; otherwise the last would win without notice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        self._refuse_repeated(args)
        return super().parse_args(ctx, args)

    def _refuse_repeated(self, args: Sequence[str]) -> None:
        """Look for a second value; a flag may be repeated."""
        single = {name: p for p in self.params for name in p.opts if name.startswith("-") and not p.multiple}
        single = {name: p for name, p in single.items() if not getattr(p, "is_flag", False)}
        seen: set[str | None] = set()
        rest = iter(args)
        for word in rest:
            if word == "--":
                return
            name, sign, _ = word.partition("=")
            option = single.get(name) or (single.get(word[:2]) if not word.startswith("--") else None)
            if option is None:
                continue
            if option.name in seen:
                told = max(option.opts, key=len)
                raise typer.BadParameter(f"{told} is given twice; it takes one value", param_hint=f"'{told}'")
            seen.add(option.name)
            if not sign and name in single:
                next(rest, None)  # its value, which may look like an option
