"""`walle release create`, `clone` and `watch`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments, completing, rendering_plans
from walle.cli.commands.release import drafting
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.files import read_object
from walle.cli.output import done, say, show, warn

app = typer.Typer()

File = Annotated[
    str | None,
    typer.Option("--file", "-F", metavar="FILE", help="The whole release as TOML or JSON; - is standard input."),
]
Strategy = Annotated[
    str | None,
    typer.Option("--strategy", metavar="FILE", help="The strategy as TOML or JSON (docs/guides/releases.md)."),
]
Rule = Annotated[
    str | None,
    typer.Option(
        "--rule",
        metavar="FILE",
        help="Which devices or callers, as TOML or JSON (docs/guides/targeting.md), or the JSON itself.",
    ),
]
AppVersions = Annotated[
    list[str] | None,
    typer.Option("--app-version", metavar="VERSION", help="An app version that receives it; may be repeated."),
]
Beta = Annotated[
    str | None,
    typer.Option(
        "--beta", metavar="LIST", help="A beta stage for this id list, or for this many percent of devices or callers."
    ),
]
Gray = Annotated[
    str | None,
    typer.Option("--gray", metavar="PERCENTS", help="Shares of the gray (canary) stages in percent: 1,10,50,100."),
]
Dwell = Annotated[float | None, typer.Option("--dwell", metavar="S", help="Soak time of each stage in seconds.")]
Evidence = Annotated[
    int | None,
    typer.Option(
        "--evidence", metavar="N", help="Minimum samples: devices or callers that have to report in each stage."
    ),
]
Pace = Annotated[int | None, typer.Option("--pace", metavar="N", help="Maximum offers per second.")]
AtOnce = Annotated[
    bool, typer.Option("--at-once", help="To every device or caller now: no simulation, one stage, no comparison.")
]
Simulation = Annotated[bool | None, typer.Option("--simulation/--no-simulation", help="Whether to simulate first.")]
Approval = Annotated[
    bool | None, typer.Option("--approval/--no-approval", help="Whether somebody else has to approve the release.")
]
Control = Annotated[
    float | None,
    typer.Option("--control", metavar="PERCENT", help="Share of devices or callers held back as control group."),
]
Most = Annotated[
    list[str] | None,
    typer.Option("--max", metavar="NAME=NUMBER", help="A limit, such as failure_rate=0.02; may be repeated."),
]
AfterComplete = Annotated[
    str | None,
    typer.Option(
        "--after-complete",
        metavar="alert|roll-back|off",
        help="What happens if the version fails after the release is complete; it only alerts if not given.",
    ),
]
Defer = Annotated[
    float | None,
    typer.Option(
        "--defer", metavar="S", help="For how long an app may put the version off, in seconds; 0: not at all."
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only say what it would do, and how long it would take; create nothing.")
]
Start = Annotated[bool, typer.Option("--start", help="Start it at once.")]
Watch = Annotated[bool, typer.Option("--watch", "-w", help="Then watch it until it ends.")]


@command(
    app,
    "create",
    "walle release create camera/digits 1.1.0 --app shop --app-version 1.0.0",
    "walle release create camera/digits 1.1.0 --app shop --rule rule.toml --beta testers --gray 5,100",
    "walle release create camera/digits 1.1.0 --app shop --rule rule.toml --strategy careful.toml --start --watch",
    "walle release create --file release.toml",
)
def create(
    *,
    task: Annotated[
        str | None, typer.Argument(metavar="[SCENARIO/TASK]", parser=arguments.task_name, show_default=False)
    ] = None,
    version: Annotated[
        str | None, typer.Argument(metavar="[VERSION]", parser=arguments.version_name, show_default=False)
    ] = None,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="APP",
            parser=arguments.slug,
            autocompletion=completing.apps,
            help="The app whose devices or callers receive it.",
        ),
    ] = None,
    app_version: AppVersions = None,
    rule: Rule = None,
    file: File = None,
    strategy: Strategy = None,
    beta: Beta = None,
    gray: Gray = None,
    dwell: Dwell = None,
    evidence: Evidence = None,
    pace: Pace = None,
    at_once: AtOnce = False,
    simulation: Simulation = None,
    approval: Approval = None,
    control: Control = None,
    most: Most = None,
    after_complete: AfterComplete = None,
    defer: Defer = None,
    dry_run: DryRun = False,
    start: Start = False,
    reason: arguments.Reason = "",
    watch: Watch = False,
) -> None:
    """Create a release of a version. It has no effect until it is started.

    The server fills in what the strategy leaves out: a simulation, then stages up to 100 percent and minimum samples
    that fit the devices which match. It says how long that will take, and what may be unintended.
    """
    whole = read_object(file) if file else {}
    given = read_object(strategy) if strategy else whole.get("strategy")
    stages = drafting.StageOptions(beta, drafting.percents(gray) if gray else (), dwell, evidence, pace)
    asked = drafting.strategy(
        given,
        stages,
        at_once=at_once,
        simulation=simulation,
        approval=approval,
        control=control,
        most=drafting.limits(most or ()),
        after_complete=after_complete,
        defer=defer,
    )
    said = {"app": app, "task": task, "version": version, "app_versions": app_version, "strategy": asked}
    body = drafting.request(whole, {**said, "rule": read_object(rule) if rule else None})
    if _foretell(body, alone=dry_run):
        _make("releases", body, start=start, watch=watch, reason=reason)


@command(
    app,
    "clone",
    "walle release clone 4 --version 1.2.0 --start",
    "walle release clone 4 --strategy careful.toml",
)
def clone(
    release: arguments.Release,
    *,
    version: Annotated[
        str | None,
        typer.Option(
            "--version",
            metavar="VERSION",
            parser=arguments.version_name,
            help="Release this version; if not given, the newest that may be released.",
        ),
    ] = None,
    app_version: AppVersions = None,
    rule: Rule = None,
    strategy: Strategy = None,
    start: Start = False,
    reason: arguments.Reason = "",
    watch: Watch = False,
) -> None:
    """Create a release from another one: the same app, task, rule and strategy, except for the options given.

    Its version is the newest that may be released, which is not in quarantine, unless another one is given.
    """
    said = {
        "version": version,
        "app_versions": app_version,
        "rule": read_object(rule) if rule else None,
        "strategy": read_object(strategy) if strategy else None,
    }
    body = {name: value for name, value in said.items() if value}
    with connected() as client:
        base = client.get(path("releases", release, "clone"))
    if "version" not in body and base["version"] != base["was"]:
        newest = f"{base['version']} is the newest version that may be released"
        typer.echo(f"{newest}; release {release} was of {base['was']}", err=True)
    _foretell(_merged(base, body))
    _make(path("releases", release, "clone"), body, start=start, watch=watch, reason=reason)


def _merged(base: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Return the release that a clone is, as it would be created."""
    merged = {name: base[name] for name in ("app", "task", "version", "rule")} | body
    if "app_versions" in body:
        del merged["rule"]
    return merged | {"strategy": {**base["strategy"], **body.get("strategy", {})}}


def _foretell(body: dict[str, Any], *, alone: bool = False) -> bool:
    """Say how long a release will take and what may be unintended; return whether it is to be made, too."""
    with connected() as client:
        plan = client.post("releases/plan", body)
    for warning in plan["warnings"]:
        warn(drafting.warning(warning))
    if alone:
        show(plan, rendering_plans.print_plan)
    else:
        typer.echo(rendering_plans.lasts(plan), err=True)
    return not alone


def _make(address: str, body: dict[str, Any], *, start: bool, watch: bool, reason: str) -> None:
    with connected() as client:
        made = client.post(address, body)
        if start:
            made = client.post(path("releases", made["id"], "start"), {"reason": reason})
    if watch:
        from walle.cli.commands.release.watching import watch_release

        done(f"created release {made['id']}")
        watch_release(made["id"])
        return
    show(made, _made)


def _made(release: dict[str, Any]) -> None:
    number, state = release["id"], release["state"]
    done(f"created release {number} of {release['task']} {release['version']} to {release['app']}: {state}")
    follow = f"walle release start {number}" if state == "draft" else f"walle release watch {number}"
    say(f"Next: {follow}")


@command(
    app,
    "watch",
    "walle release watch 4",
    "walle release watch 4 --until-waiting --timeout 3600",
    "walle release watch 4 --until-withdrawn",
    "walle release watch 4 > release.log",
)
def watch(
    release: arguments.Release,
    interval: Annotated[
        float, typer.Option("--interval", metavar="S", min=0.1, help="Seconds between two requests.")
    ] = 1.0,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="S", min=0, help="Stop watching after this many seconds (status 15)."),
    ] = None,
    until_waiting: Annotated[
        bool,
        typer.Option(
            "--until-waiting", help="End also when it waits for a person: paused, or for approval (status 14)."
        ),
    ] = False,
    until_withdrawn: Annotated[
        bool, typer.Option("--until-withdrawn", help="After a rollback, watch until no device has the version.")
    ] = False,
) -> None:
    """Watch a release until it has ended; the exit status says how.

    0 complete, 10 rolled back, 11 rejected, 12 aborted, 13 superseded, 14 waits for a person, 15 timed out.
    A lost connection does not end it. Where standard output is no terminal, each change is one line.
    """
    from walle.cli.commands.release.watching import watch_release

    ends = {"until_waiting": until_waiting, "until_withdrawn": until_withdrawn}
    watch_release(release, interval=interval, timeout=timeout, **ends)
