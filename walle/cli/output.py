"""Output of commands: JSON as REST answers it, tables for people, or tab-separated rows in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from walle.cli import humanize, session
from walle.cli.errors import CommandError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

Row = Mapping[str, Any]
_GAP = 2
_ENDLESS = 10_000


def console() -> Console:
    """Return the console of standard output; colours only in a terminal that supports them."""
    return _console(stderr=False)


def error_console() -> Console:
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    # What goes into a pipe or a file is not cut to the width of a terminal that is not there.
    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return Console(
        stderr=stderr,
        highlight=False,
        no_color=not session.current().color or None,
        width=None if terminal else _ENDLESS,
    )


def show(document: Any, render: Callable[[Any], None]) -> None:
    """Print the document as JSON if requested, else with `render`."""
    if session.wants_json():
        show_json(document)
    else:
        render(document)


def show_json(document: Any) -> None:
    indent = 2 if sys.stdout.isatty() else None
    print(json.dumps(document, indent=indent, ensure_ascii=False))


def say(text: str | Text) -> None:
    """Print one line of text without wrapping it."""
    console().print(humanize.harmless(text), soft_wrap=True, markup=False)


def draw(picture: RenderableType) -> None:
    console().print(picture)


def listing(
    page: Row, columns: Mapping[str, Callable[[Row], str | Text]], *, nothing: str, plain: Sequence[str] = ()
) -> None:
    """Print the results of a list as a table. In a pipe: no header, one row per line, cells separated by tabs.

    `columns` map titles to functions that return the cell of a row; in a pipe, columns in `plain` show the raw value
    of that name, such as an absolute time.
    """
    rows = page["results"]
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(_plain(row, title, cell, plain) for title, cell in columns.items()))
        return
    if not rows:
        say(nothing)
        return
    draw(table(columns, ([cell(row) for cell in columns.values()] for row in rows)))
    if page.get("next"):
        error_console().print(f"\nThere are more than these {len(rows)}: --limit {4 * len(rows)}", style="dim")


def table(titles: Iterable[str], rows: Iterable[Sequence[str | Text]]) -> RenderableType:
    """Return a table without lines. If it is too wide for the terminal, its widest column is cut."""
    from rich.table import Table
    from rich.text import Text

    names = [title.removesuffix("_at").replace("_", " ").upper() for title in titles]
    cells = [list(row) for row in rows]
    made = Table(box=None, pad_edge=False, header_style="dim", padding=(0, _GAP, 0, 0))
    lengths = [Text(name).cell_len for name in names]
    for row in cells:
        own = (Text(cell).cell_len if isinstance(cell, str) else cell.cell_len for cell in row)
        lengths = [max(both) for both in zip(lengths, own, strict=True)]
    widest = lengths.index(max(lengths))
    left = console().width - sum(lengths) + lengths[widest] - _GAP * (len(lengths) - 1)
    for position, name in enumerate(names):
        most = max(left, len(name)) if position == widest else None
        made.add_column(name, overflow="ellipsis", no_wrap=True, max_width=most)
    for row in cells:
        made.add_row(*row)
    return made


def _plain(row: Row, title: str, cell: Callable[[Row], str | Text], plain: Sequence[str]) -> str:
    value = row.get(title) if title in plain else cell(row)
    text = "" if value is None else str(value)
    return text.replace("\t", " ").replace("\n", " ")


def facts(pairs: Mapping[str, str | Text | None]) -> None:
    """Print names and values below each other; names without a value are left out."""
    shown = {name: value for name, value in pairs.items() if value not in (None, "")}
    if not sys.stdout.isatty():
        for name, value in shown.items():
            print(f"{name}\t{value}")
        return
    from rich.table import Table

    made = Table(show_header=False, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in shown.items():
        made.add_row(name, value)
    draw(made)


def heading(text: str) -> None:
    """Print the title of a section."""
    if sys.stdout.isatty():
        console().print(f"\n{text}", style="bold", markup=False)
    else:
        print(f"\n{text}")


def done(text: str) -> None:
    """Print a success message; nothing with --json."""
    if not session.wants_json():
        from rich.text import Text

        say(Text.assemble(("✓ ", "green"), text))


def warn(text: str) -> None:
    """Print a warning on standard error."""
    from rich.text import Text

    error_console().print(Text.assemble(("Warning: ", "yellow"), humanize.harmless(text)), soft_wrap=True)


def show_error(error: CommandError) -> None:
    """Print an error on standard error, with its hint."""
    if session.wants_json():
        print(json.dumps(error.to_dict(), ensure_ascii=False), file=sys.stderr)
        return
    from rich.text import Text

    out = error_console()
    out.print(Text.assemble(("walle: ", "bold red"), error.message), soft_wrap=True)
    for line in error.lines:
        out.print(f"  {line}", soft_wrap=True, markup=False)
    if error.hint:
        out.print(Text.assemble(("Next: ", "dim"), error.hint), soft_wrap=True)
