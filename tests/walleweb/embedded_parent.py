"""A process that runs an embedded PostgreSQL until it is told to stop: `embedded_parent.py FOLDER [--crash]`.

Prints the server's process id once it is up. With --crash it ends without any clean-up of its own.
"""

import os
import sys
import threading
from pathlib import Path

from walleweb.embedded.postgres import VOLATILE, running


def main() -> None:
    folder = Path(sys.argv[1])
    with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE) as server:
        print(server.process.pid, flush=True)
        if "--crash" in sys.argv:
            os._exit(3)
        threading.Event().wait()


if __name__ == "__main__":
    main()
