"""Entry point of the `walle` command. Its optional dependencies may be missing: then it says how to install them."""

from __future__ import annotations

import sys

NEEDS: str = "The walle command needs a little more than devices do. Install it with: pip install 'walle[cli]'"


def main() -> int:
    """Run the command with the process's arguments; return the exit status (docs/guides/cli.md)."""
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
