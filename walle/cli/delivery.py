"""The table of delivery permissions, for `walle app scenarios` and `walle scenario apps`."""

from __future__ import annotations

from typing import Any

from walle.cli import humanize
from walle.cli.output import listing


def show_grants(page: dict[str, Any], other: str, nothing: str) -> None:
    """Print delivery permissions as a table; `other` is its first column, scenario or app."""
    columns = {
        other: lambda row: row[other],
        "early": lambda row: "may complete early" if row["complete_early"] else "",
        "note": lambda row: row["note"],
        "granted_by": lambda row: row["granted_by"],
        "granted_at": lambda row: humanize.ago(row["granted_at"], humanize.now()),
    }
    listing(page, columns, nothing=nothing, plain=("granted_at",))
