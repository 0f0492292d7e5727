"""Read the plain SQL that pg_dump writes: statements, and the rows of one table after another."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_COPY, _COPY_ENDS, _END = b"COPY ", b" FROM stdin;\n", b"\\.\n"
# psql's own commands, with which newer versions of pg_dump begin and end.
_META = (b"\\restrict ", b"\\unrestrict ")


class ScriptBroken(Exception):
    """The script ends within the rows of a table."""


@dataclass(frozen=True)
class Statements:
    """SQL statements up to the next rows."""

    text: bytes


@dataclass
class Rows:
    """The rows of a table in COPY's text format; `lines` has to be read to its end before the script goes on."""

    copy: str
    lines: Iterator[bytes]

    @property
    def table(self) -> str:
        """The table's name without its schema."""
        return self.copy.split(" ", 2)[1].rpartition(".")[2].strip('"')


def parts(lines: Iterable[bytes]) -> Iterator[Statements | Rows]:
    """Yield the parts of the script; raises ScriptBroken."""
    reading, pending = iter(lines), list[bytes]()
    for line in reading:
        if line.startswith(_COPY) and line.endswith(_COPY_ENDS):
            yield Statements(b"".join(pending))
            pending = []
            yield Rows(line.decode().strip().rstrip(";"), _rows(reading))
        elif not line.startswith(_META):
            pending.append(line)
    yield Statements(b"".join(pending))


def _rows(lines: Iterator[bytes]) -> Iterator[bytes]:
    for line in lines:
        if line == _END:
            return
        yield line
    raise ScriptBroken
