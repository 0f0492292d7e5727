"""The emulated devices of the demonstration."""

from __future__ import annotations

from pathlib import Path

from walleweb.demo import examples, seed


def emulator_arguments(server: str, data_dir: Path, devices: int) -> tuple[str, ...]:
    """Arguments of `python -m walle.device.emulator`: devices of the demo app that run the examples.

    The app's key goes by its environment (WALLE_APP_KEY), so that no list of processes shows it.
    """
    inputs = [part for example in examples.ALL for part in ("--inputs", f"{example.task}={example.inputs}")]
    versions = ",".join(f"{version}:{weight}" for version, weight in zip(seed.APP_VERSIONS, (1, 3, 6), strict=True))
    return (
        *("--server", server, "--app", seed.APP, "--root", str(root_file(data_dir))),
        *("--store", str(data_dir / "devices"), "--devices", str(devices), "--app-versions", versions),
        *("--interval", str(seed.CHECK_IN_S), *inputs),
    )


def root_file(data_dir: Path) -> Path:
    """The root of trust as a file, as it would ship inside the app."""
    from devices_app.models import Root

    path = data_dir / "demo" / "root.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(Root.objects.order_by("version")[0].metadata))
    return path
