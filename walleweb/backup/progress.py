"""Show people the progress of a backup or a restoration: steps with a tick, and one moving line on a terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

ShowProgress = Callable[[str], None]


class BackupProgress:
    """Prints to a console; without a terminal only the steps."""

    def __init__(self, console: Console) -> None:
        self.console = console

    @contextmanager
    def step(self, name: str) -> Iterator[ShowProgress]:
        """Print a step; the block receives a function that shows its progress."""
        began = time.monotonic()
        last = name
        with self.console.status(name) as status:

            def show(text: str) -> None:
                nonlocal last
                last = f"{name}: {text}"
                status.update(last)

            yield show
        self.console.print(f"[green]✓[/] {last} [dim]{time.monotonic() - began:.1f} s[/]", soft_wrap=True)

    def warn(self, text: str) -> None:
        self.console.print(f"[yellow]{text}[/]", soft_wrap=True)


def in_words(count: int, size: int) -> str:
    """Return a number of files and bytes for people, such as `1,204 files, 3.1 GB`."""
    for unit, bytes_ in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= bytes_:
            return f"{count:,} files, {size / bytes_:.1f} {unit}"
    return f"{count:,} files, {size} bytes"
