"""What a table takes back, and what it only replaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.release.tables import digest, entry, table
from walle.protocol.headers import short_digest
from walle.release.table import Entry, Mode, Table
from walle.release.withdrawal import NOTHING_WITHDRAWN, WithdrawnVersions, withdrawn_since

TASK = "camera/digits"
GOOD, BAD = entry(version="1.0.0", release=1), entry(version="2.0.0", release=2)
NEWER = entry(version="3.0.0", release=3)


def version(name: str) -> tuple[str, bytes]:
    return TASK, short_digest(digest(f"{TASK} {name}"))


def withdrawn(before: Iterable[Entry], after: Iterable[Entry], **changes: Any) -> WithdrawnVersions:
    return withdrawn_since(NOTHING_WITHDRAWN, table(before), table(after, **changes))


def rolled_back(*entries: Entry) -> Table:
    return table(entries, withdrawn=((TASK, BAD.manifest),))


@pytest.mark.parametrize("remaining", [(GOOD,), ()])
def test_a_version_that_was_rolled_back_is_withdrawn_with_or_without_another_in_its_place(
    remaining: tuple[Entry, ...],
) -> None:
    found = withdrawn_since(NOTHING_WITHDRAWN, table([BAD, *remaining]), rolled_back(*remaining))
    assert found == WithdrawnVersions(frozenset({version("2.0.0")}))
    assert found.concerns({"other/task": b"1" * 12, TASK: version("2.0.0")[1]})
    assert not found.concerns({TASK: version("1.0.0")[1]})


def test_a_gateway_that_starts_with_a_table_knows_what_it_names() -> None:
    assert withdrawn_since(NOTHING_WITHDRAWN, None, rolled_back(GOOD)).versions == {version("2.0.0")}


def test_a_version_quarantined_through_another_app_is_withdrawn() -> None:
    """Its release was aborted here, so that no table names it as rolled back."""
    kept = entry(version="2.0.0", release=2, mode=Mode.KEEP)
    assert withdrawn([kept, GOOD], [GOOD]).versions == {version("2.0.0")}


@pytest.mark.parametrize("former", [GOOD, entry(version="1.0.0", release=1, mode=Mode.KEEP)])
def test_a_version_that_a_newer_release_replaces_is_not_withdrawn(former: Entry) -> None:
    assert withdrawn([BAD, former], [BAD]) == NOTHING_WITHDRAWN


def test_a_paused_release_replaces_nothing() -> None:
    kept = entry(version="2.0.0", release=2, mode=Mode.KEEP)
    held = entry(version="3.0.0", release=3, mode=Mode.HOLD)
    assert withdrawn([held, kept, GOOD], [held, GOOD]).versions == {version("2.0.0")}


def test_pausing_aborting_and_new_stages_withdraw_nothing() -> None:
    for mode in Mode:
        assert withdrawn([BAD, GOOD], [entry(version="2.0.0", release=2, mode=mode), GOOD]) == NOTHING_WITHDRAWN
    assert withdrawn([GOOD], [entry(version="2.0.0", release=2, share=10), GOOD]) == NOTHING_WITHDRAWN


def test_every_version_of_a_retired_task_is_withdrawn() -> None:
    found = withdrawn([GOOD], [], removals=[TASK])
    assert found.tasks == {TASK}
    assert found.concerns({TASK: b"any version "})
    assert not found.concerns({"other/task": b"any version "})


def test_what_no_table_names_is_remembered_until_it_is_distributed_again() -> None:
    kept = entry(version="2.0.0", release=2, mode=Mode.KEEP)
    first = withdrawn([kept, GOOD], [GOOD])
    assert withdrawn_since(first, table([GOOD]), table([GOOD, NEWER])).versions == {version("2.0.0")}
    assert withdrawn_since(first, table([GOOD]), table([BAD, GOOD])) == NOTHING_WITHDRAWN


def test_only_what_is_new_differs_from_what_was_known() -> None:
    known = WithdrawnVersions(frozenset({version("1.0.0")}), frozenset({"a/b"}))
    more = WithdrawnVersions(frozenset({version("1.0.0"), version("2.0.0")}), frozenset({"a/b", "a/c"}))
    assert more - known == WithdrawnVersions(frozenset({version("2.0.0")}), frozenset({"a/c"}))
    assert not known - known
