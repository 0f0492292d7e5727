"""Explain why a device is offered what it is offered, by repeating the decision of a check-in."""

from collections.abc import Iterable

from devices_app.models import Device, IdListMember, UserFacts
from devices_app.selectors.tables import newest_table
from walle.release.decision import CompiledTable
from walle.release.explain import Explanation, explain_each
from walle.release.rules import seen_facts
from walle.release.table import Table


def explanations(device: Device, task: str | None = None) -> list[Explanation]:
    """Return the decision about each task of the app's table on a device, or about one; empty without a table.

    The facts and tasks are those of the device's last check-in.
    """
    if (newest := newest_table(device.app)) is None:
        return []
    table = _compiled(device.app_id, newest[0])
    lists = IdListMember.objects.filter(id_list__app=device.app_id, device=device.device)
    names = (table.lists_of(device.device) or frozenset()) | set(lists.values_list("id_list__name", flat=True))
    held = UserFacts.objects.filter(app=device.app_id, device=device.device).first()
    trusted = {**device.trusted, **(held.facts if held else {})}
    facts = seen_facts(device.facts, trusted, names or None)
    profile = {name: bytes.fromhex(digest) for name, digest in device.profile.items()}
    task_names = [task] if task else sorted(_tasks(table, device))
    return explain_each(table, facts, profile, device.device, task_names)


_COMPILED: dict[int, CompiledTable] = {}
"""The newest table of each app as it was last compiled, without uploaded lists: the device's membership is looked up.
"""


def _compiled(app: int, table: Table) -> CompiledTable:
    if app not in _COMPILED or _COMPILED[app].table is not table:
        _COMPILED[app] = CompiledTable(table)
    return _COMPILED[app]


def _tasks(table: CompiledTable, device: Device) -> Iterable[str]:
    return {*device.profile, *(entry.task for entry in table.table.entries)}
