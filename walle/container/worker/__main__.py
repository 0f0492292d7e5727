"""Started as `python -I -S -B <this file> <socket fd> <configuration as JSON>` with an empty environment."""

import importlib
import sys
from pathlib import Path


def main() -> None:
    here = str(Path(__file__).resolve().parents[3])
    sys.path.insert(0, here)
    from walle.container.worker.config import TASK_LIBRARY
    from walle.container.worker.launcher import serve

    # Tasks find it loaded: their sandbox needs no way to it.
    importlib.import_module(TASK_LIBRARY)
    sys.path.remove(here)
    serve(int(sys.argv[1]), sys.argv[2])


main()
