"""Pictures in a terminal: bars and the matrix of a simulation."""

from __future__ import annotations

import io
import itertools
from datetime import datetime, timedelta

from rich.console import Console

from walle.cli import humanize, rendering


def test_a_bar_shows_what_is_there_and_is_never_longer_than_its_width():
    for parts in itertools.product([0, 1, 40, 100], repeat=3):
        drawn_bar = rendering.bar([(part, "green") for part in parts], 100, 20)
        assert len(drawn_bar) == 20
        assert (drawn_bar.plain.count("█") > 0) == any(parts)


def test_a_matrix_has_a_row_for_each_app_version_and_a_column_for_each_system():
    cells = [
        {"app_version": app, "os": os, "os_version": version, "state": state}
        for app, os, version, state in [
            ("1.0.0", "ios", "17.4", "failed"),
            ("1.0.0", "android", "9", "excluded"),
            ("1.1.0", "android", "10", "passed"),
        ]
    ]
    out = io.StringIO()
    Console(file=out, width=100, highlight=False).print(rendering.matrix(cells))
    rows = [line.split() for line in out.getvalue().splitlines()]
    assert rows == [["android", "android", "ios"], ["app", "9", "10", "17.4"], ["1.0.0", "-", "✗"], ["1.1.0", "✓"]]


def test_a_time_has_its_date_on_other_days_only():
    noon = datetime(2027, 1, 15, 12, 0, 0, 120_000).astimezone()
    assert humanize.time_of_day(noon.timestamp(), noon + timedelta(hours=1)) == "12:00:00.120"
    assert humanize.time_of_day(noon.timestamp(), noon + timedelta(days=1)) == "2027-01-15 12:00:00.120"


def test_a_duration_has_three_digits_at_least():
    assert [humanize.milliseconds(ms) for ms in (0.338, 12.91, 586.4, 12345.6)] == [
        "0.34 ms",
        "12.9 ms",
        "586 ms",
        "12,346 ms",
    ]
