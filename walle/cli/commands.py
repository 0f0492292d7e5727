"""How commands are declared: groups, and commands that all have the common options and examples in their help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from walle.cli import session

Function = TypeVar("Function", bound=Callable[..., Any])


def group(help: str, **settings: Any) -> typer.Typer:
    """A group of commands, such as `walle release`."""
    return typer.Typer(
        help=help,
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        **{"add_completion": False, **settings},
    )


def command(app: typer.Typer, name: str, *examples: str, **settings: Any) -> Callable[[Function], Function]:
    """Declare a command of a group. Its help ends with the examples; settings are those of click."""
    epilog = "\b\nExamples:\n" + "\n".join(f"  {example}" for example in examples)
    register = app.command(name, cls=Command, epilog=epilog, context_settings=settings or None)
    return register


class Command(TyperCommand):
    """A command with --json and --no-color, which may stand anywhere on its line."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params = [*self.params, *_common_options()]


class Group(TyperGroup):
    """A group with the same: `walle --json release list` is `walle release list --json`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params = [*self.params, *_common_options()]


def _common_options() -> list[TyperOption]:
    return [
        TyperOption(
            param_decls=["--json"],
            is_flag=True,
            default=False,
            expose_value=False,
            callback=_want_json,
            help="Print JSON, as REST answers it.",
        ),
        TyperOption(
            param_decls=["--no-color"],
            is_flag=True,
            default=False,
            expose_value=False,
            callback=_want_no_color,
            help="No colours; NO_COLOR does the same.",
        ),
    ]


def _want_json(_ctx: Any, _param: Any, value: bool) -> None:
    session.current().json |= value


def _want_no_color(_ctx: Any, _param: Any, value: bool) -> None:
    session.current().color &= not value
