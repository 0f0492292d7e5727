"""Tune the interpreter of a server process."""

import gc


def tune_server_process() -> None:
    """Tune the garbage collector; called once everything is loaded.

    Existing objects are exempt from collections, which already run less often than by default (walleweb/__init__.py):
    a check-in leaves tuples in a buffer for a second.
    """
    gc.collect()
    gc.freeze()
