"""How the interpreter is set up in a server process."""

import gc


def tune_server_process() -> None:
    """To be called once everything is loaded.

    What is there stays and is not looked through again. Collections already run less often than by default
    (walleweb/__init__.py), as a check-in leaves tuples in a buffer for a second.
    """
    gc.collect()
    gc.freeze()
