"""Who tries a version first: the devices of the app's own people."""

from __future__ import annotations

from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.strategies import TESTERS


def gather_testers(control_plane: ControlPlane, app: str) -> list[str]:
    """Makes the devices that came through the internal channel the list of the beta stage; their ids."""
    found = control_plane.devices(app=app)
    ids = sorted(device["device"] for device in found if device["facts"].get("channel") == "internal")
    control_plane.put_list(app, TESTERS, ids)
    return ids
