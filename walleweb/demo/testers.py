"""The devices that try a version first: those of the app's own people."""

from __future__ import annotations

from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.strategies import TESTERS


def gather_testers(control_plane: ControlPlane, app: str) -> list[str]:
    """Put the devices of the internal channel into the list of the beta stage; return their ids."""
    found = control_plane.devices(app=app)
    ids = sorted(device["device"] for device in found if device["facts"].get("channel") == "internal")
    control_plane.put_list(app, TESTERS, ids)
    return ids
