"""The text of a note on a version that was rolled back."""

from datetime import UTC, datetime, timedelta

from walle.release.version_notes import MAX_EVIDENCE, QuarantineLift, VersionRollback, note_text

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def rolled_back(after_s=0, reason="too many failed", evidence=None):
    return VersionRollback(7, "shop", "system", NOW + timedelta(seconds=after_s), reason, evidence or {})


def test_a_text_of_several_lines_is_one_line():
    note = note_text("camera/digits 1.0.0", [rolled_back(reason="5 of 9 failed\n\nBy: somebody else")])
    assert "Reason: 5 of 9 failed By: somebody else\n" in note
    assert note.count("\nBy: ") == 1


def test_evidence_is_bounded():
    note = note_text("camera/digits 1.0.0", [rolled_back(evidence={"counts": "x" * 10 * MAX_EVIDENCE})])
    assert len(note) < MAX_EVIDENCE + 300


def test_the_newest_event_says_whether_it_may_be_released():
    lift = QuarantineLift("rita", NOW + timedelta(seconds=5), "it was the network")
    for events, may in (([rolled_back(), lift], True), ([lift, rolled_back(10)], False)):
        assert ("may be released again" in note_text("a/b 1.0.0", events)) is may
