"""`walle completion`: the script that lets a shell complete commands, options and names."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from walle.cli.declaring import command

app = typer.Typer()


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@command(
    app,
    "completion",
    'eval "$(walle completion bash)"',
    "walle completion zsh > ~/.zfunc/_walle",
    "walle completion fish > ~/.config/fish/completions/walle.fish",
)
def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", show_default=False, help="bash, zsh or fish.")],
) -> None:
    """Print the script that completes commands, options and the server's names in a shell.

    Names of scenarios, tasks, versions, apps, releases and devices come from the server that you are signed in to,
    where it answers within a second.
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    typer.echo(get_completion_script(prog_name="walle", complete_var="_WALLE_COMPLETE", shell=shell.value))
