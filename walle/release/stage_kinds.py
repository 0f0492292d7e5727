"""The kinds of stages of a strategy: one row each, which determines everything about a kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class StageKind:
    """The properties of a kind of stage.

    `title` is its name for people. One that `opens` comes first, at most once, and never ends a release. One that
    `takes_list` may reach the devices of an id list instead of a share of all. Where a kind `has_control`, devices
    are held back beside it for comparison.
    """

    title: str
    opens: bool = False
    takes_list: bool = False
    has_control: bool = True


STAGE_KINDS: Final[Mapping[str, StageKind]] = {
    "beta": StageKind("Beta", opens=True, takes_list=True, has_control=False),
    "gray": StageKind("Gray"),
}
