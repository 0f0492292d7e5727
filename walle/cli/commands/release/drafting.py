"""Build the request for a release from files and options.

Options override files: `--gray 5,100` replaces the stages of a strategy file and keeps the rest of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from walle.cli.errors import WrongUsage

KEYS: Final = ("app", "task", "version", "app_versions", "rule", "strategy")
"""The keys of a release file, which are those of POST /releases."""


@dataclass(frozen=True)
class StageOptions:
    """The options about stages; None or empty where an option is not given."""

    beta: str | None = None
    gray: Sequence[float] = ()
    dwell_s: float | None = None
    evidence: int | None = None
    pace: int | None = None

    def stages(self) -> list[dict[str, Any]] | None:
        """Return the stages in the form of a strategy; None if the options name none."""
        shared = {"dwell_s": self.dwell_s, "evidence": self.evidence, "pace": self.pace}
        common = {name: value for name, value in shared.items() if value is not None}
        if not self.gray and self.beta is None:
            if common:
                raise WrongUsage("--dwell, --evidence and --pace require --beta or --gray")
            return None
        beta = [] if self.beta is None else [{"kind": "beta", **_reach(self.beta), **common}]
        return beta + [{"kind": "gray", "percent": percent, **common} for percent in self.gray or (100,)]


def _reach(text: str) -> dict[str, Any]:
    """Parse an id list or a share in percent."""
    number = text.removesuffix("%").strip()
    try:
        return {"percent": float(number)}
    except ValueError:
        return {"list": text}


def percents(text: str) -> list[float]:
    """Parse shares in percent, such as `1,10,50,100`."""
    try:
        return [float(part.strip().removesuffix("%")) for part in text.split(",")]
    except ValueError as error:
        raise WrongUsage(f"--gray: expected percents such as 1,10,50,100, found {text}") from error


def limits(pairs: Sequence[str]) -> dict[str, float]:
    """Parse limits such as `failure_rate=0.02`."""
    found = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            found[name] = float(value)
        except ValueError as error:
            raise WrongUsage(f"--max: expected NAME=NUMBER such as failure_rate=0.02, found {pair}") from error
    return found


def strategy(
    given: Mapping[str, Any] | None,
    stages: StageOptions,
    *,
    at_once: bool = False,
    simulation: bool | None = None,
    approval: bool | None = None,
    control: float | None = None,
    most: Mapping[str, float] | None = None,
    after_complete: str | None = None,
    defer: float | None = None,
) -> dict[str, Any] | None:
    """Return the strategy to request; None leaves all of it to the server."""
    from walle.release.strategy import AT_ONCE  # strategies load slowly, and help needs none

    made: dict[str, Any] = {**(given or {}), **(AT_ONCE if at_once else {})}
    named = stages.stages()
    if named is not None:
        if at_once:
            raise WrongUsage("--at-once takes everybody in one stage: leave out --beta and --gray")
        made["stages"] = named
    said = {"simulation": simulation, "approval": approval, "control_percent": control, "defer_s": defer}
    made |= {name: value for name, value in said.items() if value is not None}
    if most:
        made["limits"] = {**made.get("limits", {}), **most}
    if after_complete == "off":
        made["after_complete"] = None
    elif after_complete:
        made["after_complete"] = {**(made.get("after_complete") or {}), "action": after_complete}
    return made or None


_CAUSES: Final = {
    "rule": "--rule or --app-version",
    "strategy.control_percent": "--control",
    "strategy.simulation": "--simulation",
    "strategy.defer_s": "--defer",
    "strategy.after_complete.evidence": "--strategy, after_complete.evidence",
}
_STAGE: Final = re.compile(r"strategy\.stages\[(\d+)\]\.(\w+)")


def warning(found: Mapping[str, str]) -> str:
    """Return a warning of a plan with the option that causes it."""
    if stage := _STAGE.fullmatch(found["field"]):
        return f"--{stage[2]}: stage {int(stage[1]) + 1}: {found['detail']}"
    return f"{_CAUSES.get(found['field'], found['field'])}: {found['detail']}"


def request(file: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of POST /releases: the release file, overridden by arguments and options."""
    unknown = [key for key in file if key not in KEYS]
    if unknown:
        raise WrongUsage(f"a release file has no {', '.join(unknown)}: expected some of {', '.join(KEYS)}")
    given = {name: value for name, value in said.items() if value}
    made = {**file, **given}
    for one, other in (("rule", "app_versions"), ("app_versions", "rule")):
        if one in given and other not in given:
            made.pop(other, None)
    missing = [name for name in ("app", "task", "version") if not made.get(name)]
    if missing:
        raise WrongUsage(
            f"a release needs {', '.join(missing)}",
            "as in: walle release create camera/digits 1.1.0 --app shop --app-version 1.0.0",
        )
    if not made.get("rule") and not made.get("app_versions"):
        raise WrongUsage(
            "which devices, or callers of a pipeline, is it for?",
            "use --app-version 1.0.0 (may be repeated) or --rule FILE",
        )
    return made
