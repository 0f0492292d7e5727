"""The emulated devices of the demonstration."""

from __future__ import annotations

import json
from pathlib import Path

from walleweb.demo import examples, seed

APP_VERSION_WEIGHTS = (1, 3, 6)
VIEWERS = 0.3
"""The share of devices whose users browse through the shop."""


def emulator_arguments(
    server: str, data_dir: Path, devices: int, testers: int, *, viewers: float = VIEWERS, lapse: float = 1.0
) -> tuple[str, ...]:
    """Return arguments of `python -m walle.device.emulator`: devices of the demo app that run the examples.

    Testers run only the inputs of a task's samples. The users of the share `viewers` browse, `lapse` times faster than
    in reality. The app's key is in the environment (WALLE_APP_KEY), so that no
    list of processes shows it.
    """
    inputs = [part for example in examples.ALL for part in ("--inputs", f"{example.task}={example.inputs}")]
    tidy = ("--testers-inputs", f"{examples.IMAGE.task}={_samples_file(examples.IMAGE, data_dir)}")
    weights = zip(seed.APP_VERSIONS, APP_VERSION_WEIGHTS, strict=True)
    versions = ",".join(f"{version}:{weight}" for version, weight in weights)
    return (
        *("--server", server, "--app", seed.APP, "--root", str(root_file(data_dir))),
        *("--store", str(data_dir / "devices"), "--devices", str(devices), "--testers", str(testers)),
        *("--app-versions", versions, "--interval", str(seed.CHECK_IN_S), *inputs, *tidy),
        *("--viewers", str(viewers), "--lapse", str(lapse), "--tunnels", "1"),
    )


def _samples_file(example: examples.Example, data_dir: Path) -> Path:
    """Return a file with the inputs of an example's samples, as recorded inputs."""
    path = data_dir / "demo" / "samples.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    found = (json.loads(file.read_text()) for file in sorted(example.folder.rglob("samples/*.json")))
    path.write_text("".join(json.dumps({"inputs": inputs}) + "\n" for inputs in found))
    return path


def root_file(data_dir: Path) -> Path:
    """Return the root of trust as a file, as it would ship inside the app."""
    from devices_app.models import Root

    path = data_dir / "demo" / "root.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(Root.objects.order_by("version")[0].metadata))
    return path
