"""`python -m tasks_app.hooks pre-receive|post-receive`, or `warm <socket> <fd>`, which forks into them."""

import sys

from tasks_app.hooks import streams


def main() -> int:
    name = sys.argv[1]
    out = None if name == "warm" else streams.pusher()
    import django

    django.setup()
    from tasks_app.hooks.receive import HOOKS
    from tasks_app.hooks.warm import serve

    return HOOKS[name](streams.updates(), out) if out else serve(sys.argv[2], int(sys.argv[3]))


if __name__ == "__main__":
    sys.exit(main())
