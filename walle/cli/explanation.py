"""Print explanations of a device's tasks, for `walle device explain` and `walle release explain`."""

from __future__ import annotations

from typing import Any, Final

from walle.cli.output import say

_CHANGES: Final = {
    False: {"none": "keeps its version", "install": "installs another version", "remove": "removes the task"},
    True: {"none": "kept its version", "install": "was to install another version", "remove": "was to remove the task"},
}


def show_explanation(answer: dict[str, Any], device: str, only: int | None = None) -> None:
    """Print an explanation as sentences; `only` limits it to one release."""
    if answer["unexplained"]:
        say(answer["unexplained"])
        return
    is_past = answer["at"] is not None
    when = f"at {answer['at']}" if is_past else "at its next check-in"
    if is_past:
        _basis(answer)
    if not answer["results"]:
        say(f"No release {'applied' if is_past else 'applies'} to device {device}.")
    for told in answer["results"]:
        say(f"{told['task']}: {when} {device} {_CHANGES[is_past][told['change']]}")
        considered = [one for one in told["considered"] if only in (None, one["release"])]
        for one in considered:
            mark = "decides" if one["decides"] else "does not decide"
            place = f"bucket {one['bucket']:,}, selected below {one['share']:,}"
            say(f"  release {one['release']} {mark}: {one['reason']} ({place})")
        if only is not None and not considered:
            not_concerned = "did not apply to the device then" if is_past else "does not apply to the device now"
            say(f"  release {only} {not_concerned}")


def _basis(answer: dict[str, Any]) -> None:
    """Print from what a past decision is repeated, and what of it is not known as it was."""
    facts = ", ".join(f"{name} {value}" for name, value in sorted(answer["facts"].items()))
    say(f"By table {answer['table']}, in force since {answer['released_since']}.")
    say(f"Since {answer['said_since']} the device said: {facts}.")
    if answer["deferral"]:
        say(f"It put off new versions: {answer['deferral']}.")
    for caveat in answer["caveats"]:
        say(f"Not certain: {caveat}")
    say("")
