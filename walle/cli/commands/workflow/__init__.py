"""`walle workflow`: profile, place and run workflows of several models."""

from __future__ import annotations

from walle.cli.commands.workflow import running
from walle.cli.declaring import group

app = group("Workflows of several models, placed on tiers of workers.", name="workflow")
for part in (running,):
    app.add_typer(part.app)
