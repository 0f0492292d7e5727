"""How the models of a version will run on devices, for `walle version validate` and `walle version show`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from walle.cli import humanize
from walle.cli.output import draw, facts, heading, say, table

_SPEEDS: Final[Mapping[str, str]] = {"low": "slow", "mid": "medium", "high": "fast"}
_OWN: Final = "walle"


def show_models(plans: Iterable[Mapping[str, Any]]) -> None:
    """Print each model: its types, operators and memory, and what each class of devices will run it on."""
    for plan in plans:
        heading(f"Model {plan['name']}")
        memory = plan.get("memory")
        facts(
            {
                "file": plan["file"],
                "inputs": ", ".join(f"{name} {type_}" for name, type_ in plan["inputs"].items()),
                "outputs": ", ".join(plan["outputs"]),
                "operators": _counts(plan["operators"]),
                "when run": _counts(plan.get("steps") or {}) or None,
                "work": _profile(plan.get("profile") or ()) or None,
                "weights": humanize.size(plan["constant_bytes"]),
                "memory": f"{humanize.size(memory['planned'])} of {humanize.size(memory['naive'])} without sharing"
                if memory
                else None,
            }
        )
        if plan["mode"] == "module":
            say(f"Every device runs it on {plan['why']}.")
            continue
        rows = [
            (_SPEEDS[each["performance"]], *map(_backend, _reachable(each["backends"]))) for each in plan["classes"]
        ]
        width = max(map(len, rows))
        titles = ("devices", "first choice", *["otherwise"] * (width - 2))
        draw(table(titles, [(*row, *[""] * (width - len(row))) for row in rows]))
        for backend, reasons in plan["classes"][0]["refused"].items():
            say(f"{backend} cannot run it: {'; '.join(reasons)}.")
        say(
            "Predicted by the rates of a reference device: a run, and what loading and compiling take once per process."
        )


def _counts(of: Mapping[str, int]) -> str:
    """Return what there is most of first, whatever order a database has given the names."""
    return ", ".join(f"{name} {count}" for name, count in sorted(of.items(), key=lambda each: (-each[1], each[0])))


def _reachable(backends: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the backends up to our own kernels, which every device has."""
    names = [each["backend"] for each in backends]
    return list(backends[: names.index(_OWN) + 1])


def _backend(each: Mapping[str, Any]) -> str:
    where = "" if each["backend"] == _OWN else f" (with {each['needs']})"
    return f"{each['backend']}{where} {_time(each['run_ms'])} + {_time(each['start_ms'])}"


def _time(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.3g} s"


def _profile(profile: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{each['kind']} {each['share']:.0%} ({each['operators']})" for each in profile)
