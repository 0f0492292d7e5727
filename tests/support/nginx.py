"""nginx, and who trusts the certificate that it is given here."""

import shutil
import ssl
from pathlib import Path

PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def trusting(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "certificate.pem"))
