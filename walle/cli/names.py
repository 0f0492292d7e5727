"""The names in a request, in the order in which each is looked up, and the nearest of those that there are. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from walle.cli.connection import path

ALIKE: Final = 0.6
"""How alike names have to be, from 0 to 1, so that one is suggested for another."""
_PREFIX: Final = 3


@dataclass(frozen=True)
class Name:
    """A name of something: where it is, in which list are others, and how people list these.

    `key` is the member of a row that has the name; `queries` narrow the list, the first that yields something counts.
    """

    noun: str
    name: str
    address: str
    listed: str
    key: str
    how_to_list: str
    where: str = ""
    queries: tuple[Mapping[str, str], ...] = ({},)

    def of_row(self, row: Mapping[str, Any]) -> str:
        return str(row[self.key])

    def to_dict(self, near: str) -> dict[str, str | None]:
        return {"kind": self.noun, "name": self.name, "nearest": near or None}


def app(name: str) -> Name:
    return Name("app", name, path("apps", name), "apps", "slug", "walle app list")


def scenario(name: str) -> Name:
    return Name("scenario", name, path("scenarios", name), "scenarios", "slug", "walle scenario list")


def task(name: str) -> Name:
    within = name.partition("/")[0]
    how = f"walle task list --scenario {within}"
    return Name("task", name, path("tasks", name), path("scenarios", within, "tasks"), "name", how)


def version(of: str, name: str) -> Name:
    address = path("tasks", of, "versions")
    how = f"walle version list {of}"
    return Name("version", name, path("tasks", of, "versions", name), address, "version", how, f" of {of}")


def release(number: str) -> Name:
    return Name("release", number, path("releases", number), "releases", "id", "walle release list")


def device(of: str, name: str) -> Name:
    within: dict[str, str] = {"app": of}
    queries = ({**within, "q": name[:_PREFIX]}, within)
    address = path("devices", of, name)
    how = f"walle device list --app {of}"
    return Name("device", name, address, "devices", "device", how, f" of {of}", queries)


def workflow(of: str, name: str) -> Name:
    address = path("workflows", of, name)
    how = f"walle workflow list --scenario {of}"
    return Name("workflow", name, address, "workflows", "slug", how, f" of {of}", ({"scenario": of},))


def names_in(address: str, values: Mapping[str, Any]) -> list[Name]:
    """Return the names in an address below the API, then those in a query or a body; outer ones first."""
    parts = [unquote(part) for part in address.strip("/").split("/")]
    found = [*_of_address(parts), *_of_values(values)]
    return list({(name.noun, name.address): name for name in found}.values())


def _of_address(parts: Sequence[str]) -> list[Name]:
    found: list[Name] = []
    match parts:
        case ["apps", of, "scenarios", name, *_]:
            found = [app(of), scenario(name)]
        case ["apps", name, *_]:
            found = [app(name)]
        case ["scenarios", name, *_]:
            found = [scenario(name)]
        case ["tasks", within, name, "versions", number, *_]:
            found = [scenario(within), task(f"{within}/{name}"), version(f"{within}/{name}", number)]
        case ["tasks" | "pipelines", within, name, *_]:
            found = [scenario(within), task(f"{within}/{name}")]
        case ["devices", of, name, *_]:
            found = [app(of), device(of, name)]
        case ["releases", number, *_] if number.isdigit():
            found = [release(number)]
        case ["workflows", within, name, *_]:
            found = [scenario(within), workflow(within, name)]
    return found


def _of_values(values: Mapping[str, Any]) -> list[Name]:
    given = {name: value for name, value in values.items() if isinstance(value, str) and value}
    found = []
    if "app" in given:
        found.append(app(given["app"]))
    if "scenario" in given:
        found.append(scenario(given["scenario"]))
    if "/" in given.get("task", ""):
        found += [scenario(given["task"].partition("/")[0]), task(given["task"])]
        if "version" in given:
            found.append(version(given["task"], given["version"]))
    return found


def nearest(wanted: str, known: Sequence[str]) -> str:
    """Return the one that is most like what is wanted: the nearest of numbers, else of texts that are alike; or ""."""
    if wanted.isdigit() and known and all(one.isdigit() for one in known):
        return min(known, key=lambda one: abs(int(one) - int(wanted)))
    by_lower = {one.lower(): one for one in reversed(known)}
    if alike := difflib.get_close_matches(wanted.lower(), by_lower, n=1, cutoff=ALIKE):
        return by_lower[alike[0]]
    return next((one for one in known if len(wanted) >= _PREFIX and (wanted in one or one in wanted)), "")
