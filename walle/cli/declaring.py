"""Declare groups and commands, with the common options and with examples in their help."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

from walle.cli import session

Function = TypeVar("Function", bound=Callable[..., Any])

Json = Annotated[bool, typer.Option("--json", help="Print the JSON that REST answers.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours; NO_COLOR does the same.")]
_JSON, _NO_COLOR = "json_", "no_color_"


def take_common_options(json_: Json = False, no_color_: NoColor = False) -> None:
    """Take the common options of a command or a group into the session."""
    session.current().json |= json_
    session.current().color &= not no_color_


def group(help: str, **settings: Any) -> typer.Typer:
    """Create a group of commands, such as `walle release`, with the common options."""
    return typer.Typer(
        help=help,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        **{"callback": take_common_options, "add_completion": False, **settings},
    )


def command(app: typer.Typer, name: str, *examples: str) -> Callable[[Function], Function]:
    """Declare a command of a group, with --json and --no-color; its help ends with the examples."""
    epilog = "\b\nExamples:\n" + "\n".join(f"  {example}" for example in examples)

    def declare(function: Function) -> Function:
        app.command(name, epilog=epilog)(_with_common_options(function))
        return function

    return declare


def _with_common_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with the common options added to its signature; they are not passed on to it."""
    own, common = (inspect.signature(one, eval_str=True) for one in (function, take_common_options))
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    options = [option.replace(kind=keyword_only) for option in common.parameters.values()]

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        take_common_options(given.pop(_JSON), given.pop(_NO_COLOR))
        return function(*args, **given)

    parameters = [*own.parameters.values(), *options]
    call.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call
