"""Entry point of the receive hooks; sets Django up before anything that needs it is imported."""

import os
import sys


def main() -> int:
    """Run the named hook. Logs go to the server's own, not to the person who pushes."""
    out = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    os.dup2(int(os.environ["WALLE_PUSH_LOG"]), 2)
    import django

    django.setup()
    from tasks_app.hooks.receive import HOOKS

    updates = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115  lives as long as we do
    return HOOKS[sys.argv[1]](updates, out)


if __name__ == "__main__":
    sys.exit(main())
