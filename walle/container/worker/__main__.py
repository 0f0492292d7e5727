"""Started as `python -I -S -B <this file> <socket fd> <configuration as JSON>` with an empty environment."""

import sys
from pathlib import Path


def main() -> None:
    here = str(Path(__file__).resolve().parents[3])
    sys.path.insert(0, here)
    from walle.container.worker.launcher import serve

    sys.path.remove(here)
    serve(int(sys.argv[1]), sys.argv[2])


main()
