"""What Walle is licensed under, and that the licences of all that it depends on are allowed (licenses.toml)."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from importlib.metadata import Distribution
from pathlib import Path

import pytest
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from tests.dependencies.declared import requirements_of
from tests.support.environments import closure
from walleweb.config import BASE_DIR

RULES = tomllib.loads(Path(__file__).with_name("licenses.toml").read_text())
APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
"""SHA-256 of the licence's text as the Apache Software Foundation publishes it."""
UNKNOWN = "unknown"
NEXT_STEP = (
    "Read the licence that comes with the package. If all may use, change and pass on what is under it, name it in"
    " tests/dependencies/licenses.toml: a new licence under `allowed`, other words for one under `meanings`, one that"
    " is only in a file under `read`. Otherwise use another package, or add it there as an exception with its reason."
)


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be fulfilled by allowed licences alone."""
    tokens = re.findall(r"[()]|[^\s()]+", expression)

    def alternatives() -> bool:
        fulfilled = combination()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            fulfilled = combination() or fulfilled
        return fulfilled

    def combination() -> bool:
        fulfilled = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            fulfilled = one() and fulfilled
        return fulfilled

    def one() -> bool:
        token = tokens.pop(0)
        if tokens[:1] == ["WITH"]:
            token = " ".join((token, tokens.pop(0), tokens.pop(0)))
        if token != "(":
            return token in RULES["allowed"]
        fulfilled = alternatives()
        tokens.pop(0)
        return fulfilled

    return alternatives() and not tokens


def license_of(distribution: Distribution) -> str:
    """The licence as an SPDX expression: what the package says, or what was read in its file; else UNKNOWN."""
    metadata = distribution.metadata
    classifiers = [
        line for line in metadata.get_all("Classifier") or () if line.startswith("License :: OSI Approved ::")
    ]
    # Several classifiers may mean a choice or parts under different licences. All of them have to be allowed.
    said = metadata.get("License-Expression") or " AND ".join(
        RULES["meanings"].get(line.rpartition(" :: ")[2], UNKNOWN) for line in classifiers
    )
    text = metadata.get("License") or ""
    said = said or RULES["meanings"].get(text, text)
    try:
        return canonicalize_license_expression(said)
    except InvalidLicenseExpression:
        return RULES["read"].get(metadata["Name"], {}).get("license", UNKNOWN)


def objections(licenses: Iterable[tuple[str, str]], exceptions: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The packages whose licence is not allowed and exceptions that are of no use any more, as lines."""
    found, unused = [], set(exceptions)
    for package, license_ in licenses:
        excepted = [name for name in exceptions if fnmatchcase(package, name)]
        unused.difference_update(excepted)
        if license_ not in {exceptions[name]["license"] for name in excepted} and not is_allowed(license_):
            found.append(f"{package}: {license_}")
    return found + [f"{name}: no package needs this exception any more" for name in sorted(unused)]


def test_the_licences_of_python_packages_are_allowed():
    distributions = closure(requirements_of("requirements-dev.txt"))
    assert len(distributions) > 100
    licenses = {name: license_of(distribution) for name, distribution in distributions.items()}
    assert not objections(licenses.items(), RULES["python"]), NEXT_STEP
    assert set(RULES["read"]) <= set(licenses)


def test_the_licences_of_the_dashboards_packages_are_allowed():
    packages = json.loads((BASE_DIR / "frontend" / "package-lock.json").read_text())["packages"]
    assert len(packages) > 100
    packages.pop("")  # the dashboard itself
    licenses = [
        (path.rpartition("node_modules/")[2], found.get("license", UNKNOWN)) for path, found in packages.items()
    ]
    assert not objections(licenses, RULES["npm"]), NEXT_STEP


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", True),
        ("MIT AND (GPL-3.0-only OR LGPL-3.0-only)", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        (UNKNOWN, False),
    ],
)
def test_an_expression_is_allowed_if_allowed_licences_fulfil_it(expression, allowed):
    assert is_allowed(expression) is allowed


def test_what_is_not_allowed_is_named():
    exceptions = {"a": {"license": "MPL-2.0", "reason": "It is."}, "gone": {"license": "MPL-2.0", "reason": "It was."}}
    assert objections([("a", "MPL-2.0"), ("b", "MPL-2.0"), ("b", "MIT"), ("d", UNKNOWN)], exceptions) == [
        "b: MPL-2.0",
        "d: unknown",
        "gone: no package needs this exception any more",
    ]
    assert objections([("a", "GPL-3.0-only")], {"a": exceptions["a"]}) == ["a: GPL-3.0-only"]


def test_each_exception_has_its_reason():
    exceptions = [*RULES["python"].values(), *RULES["npm"].values()]
    assert all(exception["reason"].endswith(".") for exception in exceptions)
    assert not {exception["license"] for exception in exceptions} & set(RULES["allowed"])


def test_walle_itself_is_under_the_apache_license():
    assert hashlib.sha256((BASE_DIR / "LICENSE").read_bytes()).hexdigest() == APACHE_2
    projects = [tomllib.loads((BASE_DIR / folder / "pyproject.toml").read_text()) for folder in ("", "deploy/device")]
    dashboard = json.loads((BASE_DIR / "frontend" / "package.json").read_text())
    assert {project["project"]["license"] for project in projects} == {dashboard["license"]} == {"Apache-2.0"}
