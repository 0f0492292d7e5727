"""Why a device is offered what it is offered: the decision of a check-in, made again from what is known of it."""

from collections.abc import Iterable

from devices_app.models import Device, IdListMember, PublishedTable, UserFacts
from devices_app.selectors.tables import read_table
from walle.release.decision import CompiledTable
from walle.release.explain import Explanation, explain
from walle.release.rules import seen_facts


def explanations(device: Device, task: str | None = None) -> list[Explanation]:
    """What becomes of each task of the app's table on a device, or of one; empty while the app has no table.

    The facts and tasks are those of the device's last check-in.
    """
    published = PublishedTable.objects.filter(app=device.app_id).first()
    if published is None:
        return []
    lists = IdListMember.objects.filter(id_list__app=device.app_id, device=device.device)
    members = dict.fromkeys(lists.values_list("id_list__name", flat=True), (device.device,))
    table = CompiledTable(read_table(published), members)
    held = UserFacts.objects.filter(app=device.app_id, device=device.device).first()
    trusted = {**device.trusted, **(held.facts if held else {})}
    facts = seen_facts(device.facts, trusted, table.lists_of(device.device))
    profile = {name: bytes.fromhex(digest) for name, digest in device.profile.items()}
    asked = [task] if task else sorted(_tasks(table, device))
    return [explain(table, facts, profile, device.device, name) for name in asked]


def _tasks(table: CompiledTable, device: Device) -> Iterable[str]:
    return {*device.profile, *(entry.task for entry in table.table.entries)}
