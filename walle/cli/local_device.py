"""The device in a folder of this machine: asked through its control socket while it runs, or read from its files."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from walle.cli.errors import CommandError, CommandFailed, Exit, WrongUsage

EVENTS_FOLDER: Final = "events"
"""Where a device keeps its log of events, in its folder."""
_AS_USER: Final = "run this as the user that the device runs as"


class DeviceNotRunning(CommandError):
    """No device runs in the folder, or none that commands can reach."""

    status = Exit.UNREACHABLE


class NotAllowed(CommandError):
    """The device is another user's."""

    status = Exit.NOT_ALLOWED


class LocalDevice:
    """Asks the device in `folder`; what it answers is described in walle.device.streaming.control_requests."""

    def __init__(self, folder: Path) -> None:
        from walle.device.streaming.control_client import DeviceControl

        self._folder, self._control = folder, DeviceControl(folder)

    def track(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Have the device take an event. Raises CommandError, as the other methods do."""
        return self._ask({"request": "track", "event": dict(event)})

    def events(self, last: int, after: int | None = None) -> dict[str, Any]:
        """Return the device's newest events, those after the number `after`, and what its stream tasks cost."""
        return self._ask({"request": "events", "last": last} | ({} if after is None else {"after": after}))

    @property
    def _start(self) -> str:
        store = shlex.quote(str(self._folder))
        return f"python -m walle.device --server URL --app APP --app-key KEY --store {store}"

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        from walle.device.streaming.control import ControlRefused, ControlUnavailable
        from walle.device.streaming.control_client import NotRunning

        try:
            return self._control.ask(request)
        except NotRunning as error:
            raise DeviceNotRunning(str(error), f"start one there, and leave it running: {self._start}") from error
        except ControlUnavailable as error:
            raise CommandFailed(str(error)) from error
        except ControlRefused as refused:
            raise _refused(refused.code, str(refused)) from refused
        except PermissionError as error:
            raise NotAllowed(f"cannot reach the device in {self._folder}: {error.strerror}", _AS_USER) from error
        except OSError as error:
            raise DeviceNotRunning(f"the device in {self._folder} does not answer: {error}", "try again") from error


def _refused(code: str, detail: str) -> CommandError:
    match code:
        case "busy" | "queue-full":
            return DeviceNotRunning(detail)
        case "not-allowed":
            return NotAllowed(detail, _AS_USER)
    return WrongUsage(detail)


def events_on_disk(folder: Path, last: int) -> list[dict[str, Any]] | None:
    """Return the last events of the log in a device's folder, oldest first, as a running device tells them.

    None if there is no log. The files are copied and left as they are: an app may be writing them.
    """
    from walle.stream.event_log import EventLog

    if not (folder / EVENTS_FOLDER).is_dir():
        return None
    with tempfile.TemporaryDirectory(prefix="walle-events-") as scratch:
        copy = Path(scratch, "events")
        copy.mkdir()
        for segment in sorted((folder / EVENTS_FOLDER).glob("*.jsonl")):
            with suppress(FileNotFoundError):  # the log removes its oldest files
                shutil.copyfile(segment, copy / segment.name)
        log = EventLog(copy)
        events = log.last(last).events if last else ()
        log.close()
    return [{**event.to_dict(), **({"private": True} if event.private else {})} for event in events]


def visits_of(events: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the visits of pages that these events tell of, as JSON data with the seconds that each has lasted."""
    from walle.stream.events import BehaviourEvent
    from walle.stream.replay import page_visits

    fields = ("kind", "id", "page", "at", "contents")
    visits = page_visits([BehaviourEvent(**{name: event[name] for name in fields}) for event in events])
    return [{**one.to_dict(), "stayed": (one.ended_at or one.last) - one.entered} for one in visits]
