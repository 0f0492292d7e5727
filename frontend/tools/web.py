"""Builds and checks the dashboard with the Node that is in the virtual environment; `make` calls it.

`packages` installs what package-lock.json names; `build` makes frontend/dist; both do nothing where that is done, which
they know by a digest of what it is made of. `check` looks at types, style, formats and units, and whether the client is
the API's of now; `client` writes it; `format` formats.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

FRONTEND = Path(__file__).resolve().parent.parent
ROOT = FRONTEND.parent
BIN = Path(sys.executable).parent
MODULES = FRONTEND / "node_modules"
DIST = FRONTEND / "dist"
LOCK = FRONTEND / "package-lock.json"
STAMP = ".made-of"
CLIENT = FRONTEND / "src" / "api" / "generated" / "schema.d.ts"
SOURCES = ("src", "tools", "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
NO_NODE = f"There is no Node in {BIN}. Install the tools: .venv/bin/pip install -r requirements-web.txt"
NO_PACKAGES = (
    "The dashboard's packages could not be installed; npm's own words are above. They come from the npm registry, "
    "which has to be reachable once; another one is set by `npm config set registry`. Without the dashboard, the "
    "admin pages at /admin/ and the API work."
)


class Failed(Exception):
    """A step did not succeed; the text is for people, empty where the tool has said enough."""


def main(command: str) -> int:
    try:
        COMMANDS[command]()
    except Failed as failure:
        print(str(failure), file=sys.stderr, end="\n" if str(failure) else "")
        return 1
    return 0


def packages() -> None:
    """Install the packages unless they are there."""
    wanted = digest([LOCK])
    if stamp_of(MODULES) == wanted:
        return
    if not (BIN / "npm").exists():
        raise Failed(NO_NODE)
    with step("Installing the dashboard's packages"):
        if tool("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"):
            raise Failed(NO_PACKAGES)
        (MODULES / STAMP).write_text(wanted)


def build() -> None:
    """Build unless the newest build is of these sources."""
    wanted = digest(sources())
    if stamp_of(DIST) == wanted:
        return
    packages()
    with step("Building the dashboard"):
        must("vite/bin/vite.js", "build", "--logLevel", "warn")
        (DIST / STAMP).write_text(wanted)


def check() -> None:
    """Everything that can be known without a browser."""
    packages()
    must("oxlint/bin/oxlint", "--deny-warnings")
    must("prettier/bin/prettier.cjs", "--check", "--log-level", "warn", ".")
    must("vitest/vitest.mjs", "run", "--reporter", "dot")
    with TemporaryDirectory() as folder:
        fresh = Path(folder) / "schema.d.ts"
        write_client(fresh)
        if fresh.read_bytes() != CLIENT.read_bytes():
            raise Failed(f"{CLIENT.relative_to(ROOT)} does not match the API: make client")


def client() -> None:
    packages()
    write_client(CLIENT)


def format_all() -> None:
    packages()
    must("prettier/bin/prettier.cjs", "--write", "--log-level", "warn", ".")
    must("oxlint/bin/oxlint", "--fix")


def write_client(target: Path) -> None:
    """Types of the API's OpenAPI document."""
    with TemporaryDirectory() as folder:
        document = Path(folder) / "openapi.json"
        command = (sys.executable, "manage.py", "spectacular", "--format", "openapi-json", "--file", str(document))
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            raise Failed("The OpenAPI document could not be made.")
        if tool("node", "tools/client.ts", str(document), str(target)):
            raise Failed("")


def sources() -> Iterable[Path]:
    """Files that a build is made of."""
    for name in SOURCES:
        place = FRONTEND / name
        yield from (file for file in place.rglob("*") if file.is_file()) if place.is_dir() else [place]


def digest(files: Iterable[Path]) -> str:
    whole = sha256()
    for file in sorted(files):
        content = sha256(file.read_bytes()).hexdigest()
        whole.update(f"{file.relative_to(FRONTEND)} {content}\n".encode())
    return whole.hexdigest()


def stamp_of(folder: Path) -> str:
    """The digest of what the folder was made of; empty where it was not, or not to the end."""
    file = folder / STAMP
    return file.read_text() if file.exists() else ""


def must(script: str, *arguments: str) -> None:
    """Run a tool of the packages, which says by itself what is wrong."""
    if tool("node", f"node_modules/{script}", *arguments):
        raise Failed(f"frontend: {script.partition('/')[0]} {arguments[0]} failed")


def tool(program: str, *arguments: str) -> int:
    """Run npm or Node in the dashboard's folder; its exit status."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}", "NO_UPDATE_NOTIFIER": "1"}
    # Whom the machine trusts Node trusts too: a registry may be reached through a proxy with an authority of its own.
    environment["NODE_OPTIONS"] = f"{os.environ.get('NODE_OPTIONS', '')} --use-system-ca".strip()
    try:
        return subprocess.run((BIN / program, *arguments), cwd=FRONTEND, env=environment, check=False).returncode
    except FileNotFoundError as error:
        raise Failed(NO_NODE) from error


class step:  # noqa: N801 - used like a function
    """Says what is done, and how long it took."""

    def __init__(self, title: str) -> None:
        self.title = title

    def __enter__(self) -> None:
        print(f"{self.title} ...", flush=True)
        self.began = time.monotonic()

    def __exit__(self, error: object, *_rest: object) -> None:
        if error is None:
            print(f"✓ {self.title} {time.monotonic() - self.began:.1f} s", flush=True)


COMMANDS = {"packages": packages, "build": build, "check": check, "client": client, "format": format_all}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(f"usage: web.py {'|'.join(COMMANDS)}")
    sys.exit(main(sys.argv[1]))
