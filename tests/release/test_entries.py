"""What a release says in the table, by where it stands."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.release.tables import entry
from walle.release.cohort import BUCKETS
from walle.release.entries import entries_of
from walle.release.states import ReleasePosition, ReleaseState
from walle.release.strategy import Strategy

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
STAGES = [{"kind": "beta", "list": "testers"}, {"kind": "gray", "percent": 10}, {"kind": "gray", "percent": 100}]


def test_devices_of_a_list_stay_in_the_release_when_it_goes_on_to_shares() -> None:
    release, strategy = entry(share=0), Strategy.from_dict({"stages": STAGES, "control_percent": 5})
    testers = (11, BUCKETS, 0, {"all": [dict(release.rule), {"list": "testers"}]})
    expected = {
        0: [testers],
        1: [testers, (12, BUCKETS // 10, BUCKETS // 20, release.rule)],
        2: [testers, (13, BUCKETS, 0, release.rule)],
    }
    for position, said in expected.items():
        found = entries_of(release, strategy, ReleasePosition(ReleaseState.RUNNING, position), [11, 12, 13], NOW)
        assert [(one.stage, one.share, one.control, one.rule) for one in found] == said
