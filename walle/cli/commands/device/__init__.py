"""`walle device`: show and revoke devices, and run a task as a device would."""

from __future__ import annotations

from walle.cli.commands.device import revoking, running, showing
from walle.cli.declaring import group

app = group("Devices, and one of your own to try tasks on.", name="device")
for part in (showing, revoking, running):
    app.add_typer(part.app)
