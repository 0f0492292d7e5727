"""The REST API of releases."""

from kit.api.paths import PathName, declare_path_names

declare_path_names(
    release=PathName("number of a release", 1, kind=int),
    cell=PathName("number of a cell of a simulation", 1, kind=int),
    action=PathName(
        "action to take",
        "start",
        words=("start", "approve", "reject", "promote", "complete", "pause", "resume", "abort", "roll-back"),
    ),
)
