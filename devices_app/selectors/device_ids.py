"""Tell which device ids an app's backend or its people may name."""

from collections.abc import Iterable

from devices_app.models import App, Device
from walle.protocol.names import DEVICE_ID_PATTERN, NEW_DEVICE_ID_PATTERN


def refused_ids(app: App, devices: Iterable[object]) -> list[object]:
    """Return those that no new device may have, without those of devices that the app has."""
    odd = [device for device in devices if not (isinstance(device, str) and NEW_DEVICE_ID_PATTERN.fullmatch(device))]
    proper = [device for device in odd if isinstance(device, str) and DEVICE_ID_PATTERN.fullmatch(device)]
    known = set(Device.objects.filter(app=app, device__in=proper).values_list("device", flat=True)) if proper else set()
    return [device for device in odd if device not in known]
