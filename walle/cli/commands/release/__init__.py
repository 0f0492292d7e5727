"""`walle release`: create, show, watch, move and explain releases."""

from __future__ import annotations

from walle.cli.commands.release import creating, explaining, moving, showing
from walle.cli.declaring import group

app = group("Releases: how a version goes to devices or callers, stage by stage.", name="release")
for part in (showing, moving, explaining, creating):
    app.add_typer(part.app)
