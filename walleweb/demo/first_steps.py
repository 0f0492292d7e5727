"""The first half of the journey: a task goes from git to one phone, with exclusive files."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from walle.release.states import ReleaseState
from walleweb.demo import phone
from walleweb.demo.context import DemoContext, Seen, StepFailed, expect, expect_state, first_line, remote_lines
from walleweb.demo.examples import BETTER, IMAGE, RECOMMENDATION
from walleweb.demo.publishing import push_version
from walleweb.demo.strategies import AT_ONCE

PHONE = "phone"


def refuse_broken(world: DemoContext) -> Seen:
    with TemporaryDirectory() as place:
        broken = IMAGE.lay_out(Path(place) / "tree")
        (broken / "main.py").write_text("def run(inputs, context)\n    return {}\n")
        try:
            push_version(world.server, world.token, IMAGE.task, "0.9.0", broken)
        except subprocess.CalledProcessError as error:
            expect(world.control_plane.version(IMAGE.task, "0.9.0") is None, "no version 0.9.0 to be registered")
            return remote_lines(error.stderr)
    raise StepFailed("expected the server to refuse a task that does not compile")


def push_first(world: DemoContext) -> Seen:
    return world.push(IMAGE)


def release_at_once(world: DemoContext) -> Seen:
    release = world.follow(world.start_release(IMAGE, AT_ONCE))
    expect_state(release, ReleaseState.COMPLETE)
    table = world.control_plane.table(world.app)
    return f"release {release['id']} is {release['state']}; table {table['number']} of {world.app} is published"


def phone_installs(world: DemoContext) -> Seen:
    output = phone.wake(world, PHONE, IMAGE)
    version = world.control_plane.version(IMAGE.task, IMAGE.version)
    has = phone.installed(world, PHONE).get(IMAGE.task)
    expect(version is not None and has == version["manifest_digest"], f"{IMAGE} to be installed")
    return output


def first_report(world: DemoContext) -> Seen:
    return f"{IMAGE}: {phone.describe(phone.newest_run(world, PHONE, IMAGE))}"


def prediction_changes(world: DemoContext) -> Seen:
    """Complete a better model: the phone reads the image on which the two versions differ."""
    output = phone.wake(world, PHONE, BETTER)
    before, after = (phone.newest_run(world, PHONE, version) for version in (IMAGE, BETTER))
    old, new, truth = before["output"]["label"], after["output"]["label"], first_line(IMAGE.inputs)["truth"]
    expect(new == truth != old, f"{IMAGE} to misread the {truth} and {BETTER} to read it, found {old} and {new}")
    return f"{output}\n{BETTER}: {phone.describe(after)}\nthe image is a {truth}: {old} became {new}"


def exclusive_files(world: DemoContext) -> Seen:
    """Release to users whose age band the app's backend vouches for; each band has an exclusive file."""
    world.push(RECOMMENDATION)
    vouched_for = {"fact": "user.age_band", "in": ["30-49", "under-18"]}
    release = world.follow(world.start_release(RECOMMENDATION, AT_ONCE, vouched_for))
    expect_state(release, ReleaseState.COMPLETE)
    outputs = {}
    for name, band in (("adult", "30-49"), ("minor", "under-18")):
        phone.wake(world, name, RECOMMENDATION, age_band=band)
        outputs[band] = phone.newest_run(world, name, RECOMMENDATION)["output"]["recommendations"]
    adult, minor = outputs.values()
    expect("Wine" in adult and "Wine" not in minor, f"wine for adults only, found {outputs}")
    return "\n".join(f"{band + ':':<10}{', '.join(found)}" for band, found in outputs.items())


def retire(world: DemoContext) -> Seen:
    world.control_plane.retire(IMAGE.task)
    output = phone.wake(world, PHONE, IMAGE)
    expect(IMAGE.task not in phone.installed(world, PHONE), f"{IMAGE.task} to be removed")
    return output
