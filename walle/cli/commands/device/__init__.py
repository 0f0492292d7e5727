"""`walle device`: show and revoke devices, run a task as a device would, and make builds of walle-device."""

from __future__ import annotations

from walle.cli.commands.device import packaging, revoking, running, showing
from walle.cli.declaring import group

app = group("Devices, and one of your own to try tasks on.", name="device")
for part in (showing, revoking, running, packaging):
    app.add_typer(part.app)
