"""Compiled kernels are kept from one run of the tests to the next; the processes that tests start find them too."""

import os

os.environ.setdefault("NUMBA_CACHE_DIR", os.path.abspath(".pytest_cache/kernels"))
