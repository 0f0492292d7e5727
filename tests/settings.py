"""Settings of the test run: Walle's own, with everything that is kept in a folder of this run."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

DATA_DIR = tempfile.mkdtemp(prefix="walle-tests-")
# The embedded PostgreSQL of a run started by root belongs to another account, which passes through.
os.chmod(DATA_DIR, 0o755)
atexit.register(shutil.rmtree, DATA_DIR, ignore_errors=True)
os.environ["WALLE_DATA_DIR"] = DATA_DIR
from tests.support.cluster import write_password  # noqa: E402

# Settings name the database by the password in this folder.
write_password(Path(DATA_DIR, "postgres"))

from walleweb.settings import *  # noqa: E402, F403
from walleweb.settings import DATABASES, MIDDLEWARE, STATIC_ROOT  # noqa: E402

# ServeStatic is asynchronous only: each request of a synchronous client would start an event loop and a thread for it.
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("servestatic.")]

# Where nothing was collected: without the folder, each client that is made warns that it is missing.
STATIC_ROOT.mkdir()
# Each handler that is made would look for all files of all apps.
SERVESTATIC_USE_FINDERS = False
# A test closes its one connection; a pool would keep others open behind it.
DATABASES["default"]["OPTIONS"].pop("pool", None)
# The real hasher spends its time on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Tests that are about hints between processes say so; others need no further connections.
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
