"""The `walle` command's way in. What it needs beside the device SDK is optional: without it, it says how to get it."""

from __future__ import annotations

import sys

NEEDS: str = "The walle command needs a little more than devices do. Install it with: pip install 'walle[cli]'"


def main() -> int:
    """Run the command with the process's arguments; the exit status (docs/guides/cli.md)."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as missing:
        print(f"{NEEDS} ({missing})", file=sys.stderr)
        return 1
    from walle.cli.app import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
