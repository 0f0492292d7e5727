"""Features of a version that was rolled back are marked, until somebody lifts its quarantine."""

import pytest

from accounts_app.actors import SYSTEM
from devices_app.selectors.features import recent
from devices_app.services.features import store_features
from releases_app.services.quarantine import lift_quarantine
from tests.features.received import feature
from tests.releases_app.trials import NOW, TASK, Trial

pytestmark = pytest.mark.django_db


def test_features_of_a_version_in_quarantine_are_marked(fleet, versions):
    digests = [version.manifest_digest[:24] for version in versions[:2]]
    store_features([feature(1 + n, task=TASK, manifest=digest) for n, digest in enumerate(digests)])
    assert [each.rolled_back for each in recent(2)] == [False, False]
    Trial(fleet, versions[1]).start().act("roll-back")
    assert {each.manifest: each.rolled_back for each in recent(2)} == dict(zip(digests, [False, True], strict=True))
    lift_quarantine(version=versions[1], actor=SYSTEM, now=NOW, reason="it was the network")
    assert not any(each.rolled_back for each in recent(2))
