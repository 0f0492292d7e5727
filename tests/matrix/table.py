"""Reads answers.txt, the table of who is answered what, and holds it to the operations that the product has."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ANSWERS = Path(__file__).with_name("answers.txt")


@dataclass(frozen=True)
class Section:
    """One part of the table. `rows` are the answers by operation and by who asks."""

    name: str
    people: tuple[str, ...]
    rows: Mapping[str, Mapping[str, str]]

    def expect(self, found: Mapping[str, Mapping[str, str]]) -> None:
        """Raise AssertionError that lists every answer which is not the table's."""
        wrong = [
            f"{operation} as {person}: expected {self.rows[operation][person]}, found {answer}"
            for operation, answers in found.items()
            for person, answer in answers.items()
            if self.rows[operation][person] != answer
        ]
        wrong += [
            f"{operation}: not asked by everybody" for operation in self.rows if not self._asked(operation, found)
        ]
        assert not wrong, "\n".join([f"not as [{self.name}] in tests/matrix/answers.txt says:", *wrong])

    def expect_rows_for(self, operations: Collection[str]) -> None:
        """Raise AssertionError unless there is a row for each of the product's operations, and no other row."""
        place, columns = f"[{self.name}] in tests/matrix/answers.txt", " ".join(self.people)
        wrong = [
            f"{operation!r} has no answers: add a row with one for each of {columns} to {place}"
            for operation in sorted(set(operations) - self.rows.keys())
        ]
        wrong += [
            f"{operation!r} is no operation of the product: remove its row from {place}"
            for operation in self.rows
            if operation not in operations
        ]
        assert not wrong, "\n".join(wrong)

    def _asked(self, operation: str, found: Mapping[str, Mapping[str, str]]) -> bool:
        return tuple(found.get(operation, ())) == self.people


def section(name: str) -> Section:
    """The part of the table that begins with this name in brackets."""
    return read(ANSWERS.read_text())[name]


def read(text: str) -> dict[str, Section]:
    """Every section by its name; raises ValueError for what is no table."""
    return {found.name: found for found in _sections(text)}


def _sections(text: str) -> Iterator[Section]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    starts = [place for place, line in enumerate(lines) if line.startswith("[")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        name, *people = lines[start].split()
        rows: dict[str, Mapping[str, str]] = {}
        for line in lines[start + 1 : end]:
            words = line.split()
            operation, answers = " ".join(words[: -len(people)]), words[-len(people) :]
            if not operation or operation in rows:
                raise ValueError(f"{name} {line!r}: expected an operation without a row yet, and {len(people)} answers")
            rows[operation] = dict(zip(people, answers, strict=True))
        yield Section(name.strip("[]"), tuple(people), rows)
