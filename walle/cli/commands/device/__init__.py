"""`walle device`: show and revoke devices, run a task as a device would, talk to a running one, make builds."""

from __future__ import annotations

from walle.cli.commands.device import events, packaging, revoking, running, showing, tracking
from walle.cli.declaring import group

app = group("Devices, and one of your own to try tasks on.", name="device")
for part in (showing, revoking, running, tracking, events, packaging):
    app.add_typer(part.app)
