"""`walle device revoke` and `reinstate`, for one device or for all that enrolled in a span of time."""

from __future__ import annotations

from typing import Annotated

import typer

from walle.cli import arguments, consequences
from walle.cli.confirmation import confirm, reason_for
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.output import done, show

app = typer.Typer()


@command(app, "revoke", "walle device revoke shop uJ7YeXMu2tFX32mL8Zl_Ig -r 'stolen'")
def revoke(
    app: arguments.App, device: arguments.Device, reason: arguments.Reason = "", yes: arguments.Yes = False
) -> None:
    """Revoke a device: its credential becomes invalid, and it cannot enrol again under its id. Requires a reason."""
    with connected() as client:
        if not yes:
            told = consequences.of_revoking(client.get(path("devices", app, device)))
            confirm(f"Revoke device {device} of {app}? {told}", yes)
        reason = reason_for(f"revoke {device}", reason)
        found = client.post(path("devices", app, device, "revoke"), {"reason": reason})
    back = f"walle device reinstate {app} {arguments.written(device)}"
    show(found, lambda _: done(f"revoked {device}; undo with: {back}"))


@command(app, "reinstate", "walle device reinstate shop uJ7YeXMu2tFX32mL8Zl_Ig")
def reinstate(app: arguments.App, device: arguments.Device) -> None:
    """Undo the revocation of a device."""
    with connected() as client:
        found = client.post(path("devices", app, device, "reinstate"))
    show(found, lambda _: done(f"reinstated {device}"))


Since = Annotated[
    str,
    typer.Option(
        "--first-seen-since",
        metavar="TIME",
        show_default=False,
        help="Devices that first checked in at or after this time: 2027-01-15T08:00Z.",
    ),
]
Before = Annotated[
    str | None,
    typer.Option(
        "--first-seen-before", metavar="TIME", help="Devices that first checked in before this time; now if left out."
    ),
]


@command(
    app,
    "revoke-new",
    "walle device revoke-new toy --first-seen-since 2027-01-15T08:00Z --first-seen-before 2027-01-15T09:30Z -r leak",
)
def revoke_new(
    app: arguments.App,
    first_seen_since: Since,
    first_seen_before: Before = None,
    reason: arguments.Reason = "",
    yes: arguments.Yes = False,
) -> None:
    """Revoke all devices that enrolled in a span of time with an app key alone, e.g. after a leak of that key."""
    until = first_seen_before or "now"
    span = _span(first_seen_since, first_seen_before)
    with connected() as client:
        if not yes:
            concerned = {"app": app, "vouched": False, "revoked": False, "exact": True, **span}
            many = client.get("devices/count", **concerned)["count"]
            whom = f"{many:,} devices of {app} that came from {first_seen_since} until {until} with an app key"
            confirm(f"Revoke {whom}? They keep what they have, and hear of no rollback.", yes)
        reason = reason_for(f"revoke devices of {app}", reason)
        found = client.post(path("apps", app, "newcomers", "revoke"), {**span, "reason": reason})
    back = f"--first-seen-since {found['first_seen_since']} --first-seen-before {found['first_seen_before']}"
    show(
        found,
        lambda _: done(
            f"{found['devices']} devices are being revoked; undo with: walle device reinstate-new {app} {back}"
        ),
    )


@command(app, "reinstate-new", "walle device reinstate-new shop --first-seen-since 2027-01-15T08:00Z")
def reinstate_new(app: arguments.App, first_seen_since: Since, first_seen_before: Before = None) -> None:
    """Undo the revocation of all devices that enrolled in a span of time with an app key alone."""
    with connected() as client:
        found = client.post(path("apps", app, "newcomers", "reinstate"), _span(first_seen_since, first_seen_before))
    show(found, lambda _: done(f"{found['devices']} devices are being reinstated"))


def _span(since: str, before: str | None) -> dict[str, str]:
    return {"first_seen_since": since, **({"first_seen_before": before} if before else {})}
