"""The bounds that docs/guides/streams.md states of events, visits, the log and windows are those that hold."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from walle.stream.event_log import MAX_SCANNED, EventLog
from walle.stream.events import MAX_AHEAD_S, MAX_CONTENTS_BYTES
from walle.stream.intake import SESSION_IDLE_S, STEP_S
from walle.stream.pages import MAX_OPEN_VISITS
from walle.stream.segments import SegmentBounds
from walle.stream.sequence import LATE_S, REMEMBERED
from walle.stream.windows import MAX_WINDOW_BYTES, MAX_WINDOW_EVENTS

GUIDE = " ".join((Path(__file__).parents[2] / "docs" / "guides" / "streams.md").read_text().split())
MEMORY = inspect.signature(EventLog).parameters
FILES = SegmentBounds()


def mib(size: float) -> str:
    return f"{size / 2**20:g} MiB"


@pytest.mark.parametrize(
    "said",
    [
        f"at most {MEMORY['memory_events'].default}, and {mib(MEMORY['memory_bytes'].default)} of JSON",
        f"segments of {mib(FILES.segment_bytes)} or a day",
        f"{mib(FILES.total_bytes)} and {FILES.age_s / 86_400:g} days together",
        f"At most {MAX_WINDOW_EVENTS:,}".replace(",", " ") + f", and {mib(MAX_WINDOW_BYTES)} of JSON",
        f"the last {MAX_SCANNED:,} events".replace(",", " "),
        f"nothing happens on the page for {SESSION_IDLE_S / 60:g} minutes",
        f"more than {MAX_OPEN_VISITS} visits are open",
        f"{MAX_CONTENTS_BYTES / 1024:g} KiB of JSON, contents and private",
        f"at most {MAX_AHEAD_S:g} s ahead of the device's clock",
        f"an event up to {LATE_S:g} s older than the newest",
        f"the last {REMEMBERED} of the last {LATE_S:g} s are remembered",
        f"a jump of more than {STEP_S:g} s",
    ],
)
def test_a_bound_is_the_one_that_the_guide_states(said):
    assert said in GUIDE
