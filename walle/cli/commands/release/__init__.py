"""`walle release`: create, show, watch, move and explain releases."""

from __future__ import annotations

from walle.cli.commands.release import creating, explaining, looking, moving
from walle.cli.declaring import group

app = group("Releases: how a version goes to devices, stage by stage.", name="release")
for part in (looking, moving, explaining, creating):
    app.add_typer(part.app)
