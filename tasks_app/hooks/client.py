"""The program that git runs as a hook.

It is plain Python that imports next to nothing, because it runs twice in every push.
"""

import json
import os
import socket
import sys

# Standard input, output and error, then the files of WALLE_PUSH_LOCK and WALLE_PUSH_LOG.
FILES = ("WALLE_PUSH_LOCK", "WALLE_PUSH_LOG")
PASSED_ON = ("GIT_", "WALLE_PUSH_")


def main(hook: str) -> int:
    """Return the exit status of the hook, run by the warm process; without one, replace this process by the hook."""
    try:
        return run_warm(hook)
    except (KeyError, OSError):
        python = os.environ["WALLE_PYTHON"]
        os.execv(python, [python, "-P", "-m", "tasks_app.hooks", hook])  # noqa: S606  our own interpreter


def run_warm(hook: str) -> int:
    """Return the exit status of the hook, run by the warm process; raise OSError if that has not begun to run it.

    The kernel resets a connection whose other end is closed before the request was read. If the hook dies later, the
    connection only ends, and the status is 1.
    """
    warm = socket.socket(socket.AF_UNIX)
    warm.connect(os.environ["WALLE_PUSH_WARM"])
    environment = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
    request = {"hook": hook, "folder": os.getcwd(), "environment": environment}
    files = [0, 1, 2, *(int(os.environ[name]) for name in FILES)]
    socket.send_fds(warm, [json.dumps(request).encode() + b"\n"], files)
    status = warm.recv(1)
    return status[0] if status else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
