"""Print explanations of a device's tasks, for `walle device explain` and `walle release explain`."""

from __future__ import annotations

from typing import Any

from walle.cli.output import say


def show_explanation(answer: dict[str, Any], device: str, only: int | None = None) -> None:
    """Print an explanation as sentences; `only` limits it to one release."""
    if not answer["results"]:
        say(f"No release applies to device {device}.")
    for told in answer["results"]:
        change = {"none": "keeps its version", "install": "installs another version", "remove": "removes the task"}[
            told["change"]
        ]
        say(f"{told['task']}: at its next check-in {device} {change}")
        considered = [one for one in told["considered"] if only in (None, one["release"])]
        for one in considered:
            mark = "decides" if one["decides"] else "does not decide"
            place = f"bucket {one['bucket']:,}, selected below {one['share']:,}"
            say(f"  release {one['release']} {mark}: {one['reason']} ({place})")
        if only is not None and not considered:
            say(f"  release {only} does not apply to the device now")
