"""The checks of signed documents where a limit is met exactly, or one time is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.device.conftest import TASK
from walle.conformance.client.repository import ReferenceRepository
from walle.device.errors import TooLarge
from walle.device.updates.verify import CLOCK_TOLERANCE_S, Sizes, check_assignment, check_manifest
from walle.protocol.documents import Assignment
from walle.protocol.errors import Expired, Outdated
from walle.protocol.headers import Offer
from walle.protocol.signing import TrustedRoots


@pytest.fixture
def offered() -> tuple[ReferenceRepository, Offer, Assignment, TrustedRoots]:
    """A task of two files, 3 and 4 bytes long, as it is offered."""
    repository = ReferenceRepository()
    repository.publish(TASK, "1.0.0", {"main.py": b"abc", "model": b"abcd"})
    offer = repository.offer("device-1", TASK)
    return repository, offer, Assignment.from_payload(offer.assignment), TrustedRoots(repository.roots[1])


def test_a_bundle_may_be_as_large_as_the_limit_in_all_and_no_larger(offered) -> None:
    repository, _, assignment, roots = offered
    envelope = repository.tasks[TASK].envelope
    assert check_manifest(envelope, assignment, roots, Sizes(bundle=7)).name == TASK
    with pytest.raises(TooLarge, match="7 bytes, this device takes 6"):
        check_manifest(envelope, assignment, roots, Sizes(bundle=6))


def test_an_assignment_may_be_over_by_what_clocks_are_wrong(offered) -> None:
    _, offer, assignment, roots = offered
    over = assignment.expires + CLOCK_TOLERANCE_S
    assert check_assignment(offer, roots, app="shop", highest=0, now=over) == assignment
    with pytest.raises(Expired):
        check_assignment(offer, roots, app="shop", highest=0, now=over + 1)


def test_the_newest_table_that_was_seen_is_believed_again_and_no_older_one(offered) -> None:
    _, offer, assignment, roots = offered
    at = {"app": "shop", "now": assignment.expires}
    assert check_assignment(offer, roots, highest=assignment.number, **at) == assignment
    with pytest.raises(Outdated):
        check_assignment(offer, roots, highest=assignment.number + 1, **at)


def test_a_removal_is_no_installation(offered) -> None:
    _, offer, assignment, roots = offered
    for action in ("install", "update"):
        assert (
            check_assignment(replace(offer, action=action), roots, app="shop", highest=0, now=assignment.expires)
            == assignment
        )
