"""The invariants of releases whatever breaks, checked against the devices' record and the database's rows.

Nothing here uses the product's own decisions: the rules are plain functions of the scenario, the cohorts follow the
published formula, and outcomes are derived from raw reports.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from benchmarks.support.live.history import Connection, Known
from benchmarks.support.live.wire import ReceivedOffer
from walle.device.emulator.population import Person

LEASE_S: Final = 5.0
"""How long a gateway relies on tables that it cannot read again."""
_MASK: Final = (1 << 64) - 1
_CONTROL: Final = ("control", "repeat")
"""A control device has an exposure for its first stage, and another one for each later stage."""
_REPORTS: Final = """
SELECT device, task, kind, outcome, release, reported_at, received_at, report_id,
    extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 FROM devices_app_report
"""
_EXPOSURES: Final = """
SELECT release, device, exposure.task, exposure.arm, exposure.drawn_at, first.offered_at, exposure.outcome,
    exposure.reported_at
FROM releases_app_exposure exposure JOIN releases_app_exposure first USING (release, device)
WHERE first.arm <> 'repeat'
"""


@dataclass(frozen=True)
class ExpectedRelease:
    """The intended behaviour of a release: its devices, its beta list, and its end."""

    task: str
    version: str
    selects: Callable[[Person], bool]
    ends: str
    testers: frozenset[str] = frozenset()


def bucket(salt: bytes, device: str) -> int:
    """Return the device's position in a release's order, by the published formula."""
    factor, offset = int.from_bytes(salt[:8], "big"), int.from_bytes(salt[8:], "big")
    return (((factor * crc32(device.encode()) + offset & _MASK) >> 32) * 1_000_000) >> 32


def ineligible(offer: ReceivedOffer, known: Known, expected: ExpectedRelease, person: Person) -> str:
    """Return why a device should not have got this offer; empty if it should."""
    if not expected.selects(person):
        return "its rule does not take the device"
    entered = [position for position, at in known.entered().items() if at <= offer.received]
    if not entered:
        return "it had not started"
    stages = known.strategy["stages"]
    shares = [round(10_000 * stages[position].get("percent", 0)) for position in entered]
    if bucket(known.salt, offer.device) >= max(shares) and offer.device not in expected.testers:
        return f"its stages up to {max(entered)} do not take the device"
    withdrawn = known.when("roll-back", "supersede")
    restored = known.when("restore")
    if (
        withdrawn is not None
        and offer.requested > withdrawn + LEASE_S
        and (restored is None or offer.received < restored)
    ):
        return f"it was withdrawn {offer.requested - withdrawn:.1f} s before"
    return ""


def skipped(known: Known) -> Iterator[str]:
    """Return the moves that do not follow from the previous one."""
    state, position = "draft", None
    for move in known.moves:
        if (move.before, move.position_before) != (state, position):
            yield f"{move.action} from {move.before} {move.position_before} where {state} {position} was expected"
        step = -1 if position is None else position
        if move.after == "running" and move.position_after not in (step + 1, position):
            yield f"{move.action} from stage {position} to {move.position_after}"
        if move.action == "complete" and position != len(known.strategy["stages"]) - 1:
            yield f"complete from stage {position}"
        state, position = move.after, move.position_after
    if (state, position) != (known.state, known.position):
        yield f"{known.state} {known.position} where its last move leads to {state} {position}"


@dataclass
class PaceUsage:
    """The offers of a paced release: how many, the most in a second, and in how many seconds the pace was used up."""

    pace: int
    offers: int = 0
    most: int = 0
    full_seconds: int = 0
    excess: int = 0


def offers_at_pace(offers: Iterable[tuple[ReceivedOffer, int]], known: Known) -> PaceUsage:
    """Compare offers, by the second in which they were made, with the pace while the release was running.

    The seconds are the gateways' own, from the tokens. As far as devices can tell by themselves (an offer that was
    requested and received within a span was made in it), every span of up to ten seconds is checked as well.
    """
    pace = min(stage["pace"] for stage in known.strategy["stages"])
    end = known.when("complete", "roll-back", "supersede") or float("inf")
    counted = [(offer, second) for offer, second in offers if second < int(min(end, 1e12))]
    seconds = Counter(second for _, second in counted)
    found = PaceUsage(pace, len(counted), max(seconds.values(), default=0))
    found.full_seconds = sum(count >= pace for count in seconds.values())
    found.excess = sum(max(0, count - pace) for count in seconds.values())
    requested = sorted((offer.requested, offer.received) for offer, _ in counted)
    for span in range(1, 11):
        for start in {int(at) for at, _ in requested}:
            inside = sum(at >= start and received < start + span for at, received in requested)
            found.excess += max(0, inside - span * pace)
    return found


def settled_outcomes(connection: Connection, known: Iterable[Known]) -> Iterator[str]:
    """Return exposures whose outcome differs from the raw reports.

    Devices that reported nothing before their release had ended are left out, because no verdict depends on them.
    """
    ends = {one.release: one.when("complete", "roll-back", "supersede") or float("inf") for one in known}
    reports: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in connection.execute(_REPORTS):
        reports[row[0], row[1]].append(row)
    for release, device, task, arm, drawn_at, offered_at, outcome, reported_at in connection.execute(_EXPOSURES):
        counting = [report for report in reports[device, task] if _concerns(report, release, arm, drawn_at, offered_at)]
        decisive = sorted(counting, key=lambda report: (report[5], report[6], report[7]))
        if decisive and min(report[8] for report in decisive) > ends[release]:
            continue
        first = decisive[0] if decisive else None
        if outcome != (first[3] if first else ""):
            yield f"{device} in release {release} ({arm}): {outcome or 'open'}, reports say {first}"
        elif first and arm == "treatment" and reported_at != first[5]:
            yield f"{device} in release {release}: settled by the report of {reported_at}, the first is {first}"


def _concerns(report: Sequence[Any], release: int, arm: str, drawn_at: Any, offered_at: Any) -> bool:
    _, _, kind, outcome, of_release, _, received_at, *_ = report
    if of_release == release:
        return arm == "treatment" and (kind == "run" or (kind == "install" and outcome == "failure"))
    before_offer = offered_at is None or received_at < offered_at
    return bool(arm in _CONTROL and kind == "run" and received_at > drawn_at and before_offer)


def unexplained(known: Known) -> Iterator[str]:
    """Return moves that nobody made by hand and that do not follow from their own evidence."""
    from walle.release.evidence import Evidence
    from walle.release.strategy import Strategy
    from walle.release.verdict import judge

    strategy = Strategy.from_dict(known.strategy)
    expected = {"promote": "pass", "complete": "pass", "roll-back": "fail"}
    for move in known.moves:
        if move.actor == "system" and not move.reason:
            yield f"{move.action} without a reason"
        if move.action in expected and move.actor == "system":
            stage = strategy.stages[move.position_before or 0]
            verdict = judge(Evidence.from_dict(move.evidence["counts"]), strategy.limits, stage.evidence)
            if verdict.kind != expected[move.action]:
                yield f"{move.action} on evidence that says {verdict.kind}"


def reports_differ(
    connection: Connection,
    sent: Mapping[str, tuple[str, Mapping[str, Any]]],
    acknowledged: Iterable[tuple[str, str]],
) -> tuple[list[str], list[str]]:
    """Return reports that were acknowledged or sent but not stored, and stored ones that are duplicates or unknown."""
    rows = connection.execute(
        "SELECT report_id::text, device, task, version, kind, outcome, error_class FROM devices_app_report"
    ).fetchall()
    stored = {
        id_: (device, task, version, kind, outcome, error) for id_, device, task, version, kind, outcome, error in rows
    }
    names = ("task", "version", "kind", "outcome")
    reported = {
        id_: (device, *(report[name] for name in names), report.get("error_class") or "")
        for id_, (device, report) in sent.items()
    }
    lost = [f"{device} {id_}" for device, id_ in acknowledged if id_ not in stored]
    lost += [f"{id_}: sent {row}, stored {stored.get(id_)}" for id_, row in reported.items() if stored.get(id_) != row]
    extra = [id_ for id_ in stored if id_ not in reported]
    return lost, extra + ["twice"] * (len(rows) - len(stored))


def registry_differs(
    connection: Connection, installed: Mapping[str, Mapping[str, str]], known: Mapping[str, Known]
) -> Iterator[str]:
    """Return devices whose profile in the registry, or whose installed tasks, differ from what they have."""
    digests = {(release.task, release.version): release.manifest[:24] for release in known.values()}
    rows = connection.execute(
        "SELECT device.device, device.profile, coalesce(jsonb_object_agg(one.task, one.manifest)"
        " FILTER (WHERE one.task IS NOT NULL), '{}') FROM devices_app_device device"
        " LEFT JOIN devices_app_installedtask one ON one.device_id = device.id GROUP BY device.id"
    )
    found = {device: (profile, tasks) for device, profile, tasks in rows}
    for device, tasks in installed.items():
        right = {task: digests[task, version] for task, version in tasks.items()}
        if found.get(device) != (right, right):
            yield f"{device} has {right}, registered is {found.get(device)}"


def audit_differs(log: Iterable[tuple[Any, ...]], known: Iterable[Known]) -> Iterator[str]:
    """Return moves without a row of their own in the audit log, rows without a move, and rows in another order."""
    logged: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for release, *row in log:
        logged[release].append(tuple(row))
    for one in known:
        moves = [(move.action, move.before, move.after, move.actor) for move in one.moves]
        if logged.pop(one.release, []) != moves:
            yield f"release {one.release}: its moves are {moves}"
    yield from (f"rows about release {release}, which is unknown" for release in logged)
