"""`walle workflow`: where operators of a workflow run, with which models, at which cost; and running them there."""

from __future__ import annotations

from walle.cli.commands.workflow import applying, changing, placing, planning, running
from walle.cli.declaring import group

app = group("Workflows: which models and workers serve them at the least cost.", name="workflow")
for part in (planning, changing, running, placing, applying):
    app.add_typer(part.app)
