"""`make e2e`: the dashboard in a real browser, against a real server, workers and emulated devices.

Everything works on a temporary database and folder. They contain the example tasks, released to all devices; three more
versions of the digits, pushed and not released; a fleet that checks in; a list of testers. The journeys learn their
addresses and secrets from the environment (frontend/e2e/support/world.ts). Arguments are names of journeys, such as
`1-login`.

Failed journeys are run once more, alone, after all others, with a server and a database of their own: what they left
behind the first time is not in their way. What passes then is printed under FLAKY. With `--once` nothing is run again.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.console import Console

from walleweb.config import BASE_DIR, Config
from walleweb.databases import effective_database_url
from walleweb.demo.journey import free_port
from walleweb.embedded import run

FRONTEND: Final = BASE_DIR / "frontend"
VITEST: Final = ("node_modules/vitest/vitest.mjs", "run", "--config", "e2e/vitest.config.ts")
DEVICES: Final = 27
TESTERS: Final = 3
TESTERS_SECONDS: Final = 600.0
TICK_SECONDS: Final = 0.2
RECHECK_SECONDS: Final = 1
ONCE: Final = "--once"
# If more files fail, something is broken.
MOST_AGAIN: Final = 3
CHROMIUM: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first one is the same browser without the pages of its own windows, which nobody sees here."""


def main(arguments: list[str]) -> int:
    environment = dict(os.environ)
    names = [name for name in arguments if name != ONCE]
    status, failed = run_journeys(names)
    if ONCE in arguments or not 0 < len(failed) <= MOST_AGAIN:
        return status
    print(f"Once more, alone: {', '.join(failed)}", flush=True)
    command = (sys.executable, "-m", "walleweb.dashboard.journeys", ONCE, *failed)
    status = subprocess.run(command, cwd=BASE_DIR, env=environment, check=False).returncode
    if status == 0:
        print("FLAKY: failed among others, passed alone (above). The first time:", flush=True)
        for name, messages in failed.items():
            print("\n".join((*messages, f"FLAKY {name}")), flush=True)
    return status


def run_journeys(names: list[str]) -> tuple[int, dict[str, list[str]]]:
    """Run journeys, or all; return the exit status of Vitest, and the messages of the files that failed."""
    console = Console(highlight=False)
    try:
        browser = find_browser()
        with run.signals_interrupt(), run.temporary_folder():
            # Journeys log in again and again, and wait until ended sessions are noticed.
            os.environ |= {"WALLE_LOGINS_PER_MINUTE": "0", "WALLE_LIVE_RECHECK_SECONDS": str(RECHECK_SECONDS)}
            os.environ |= {"WALLE_PORT": str(free_port()), "WALLE_LOG_LEVEL": "warning"}
            config = Config.from_env()
            with run.held_folder(config.data_dir):
                walle = run.Walle(config, console)
                with walle.serving() as server:
                    return travel(walle, server, {"WALLE_E2E_CHROMIUM": browser}, names)
    except run.Interrupted:
        console.print("Stopped before the end.")
    except run.CannotRun as error:
        console.print(f"[bold red]The journeys could not begin.[/] {error}", soft_wrap=True)
    return 1, {}


def travel(
    walle: run.Walle, server: str, environment: dict[str, str], names: list[str]
) -> tuple[int, dict[str, list[str]]]:
    """Prepare the world and run journeys; return the exit status of Vitest, and the messages of those that failed.

    Journeys may kill what runs; nothing is restarted while a file `held` exists.
    """
    from walleweb.demo import secrets, seed
    from walleweb.demo.strategies import in_stages

    held = walle.config.data_dir / "held"
    token = seed.token(now=datetime.now(UTC))
    with walle.step("Tasks, devices, testers"):
        prepare(walle, server, token)
    environment |= {
        "WALLE_E2E_URL": server,
        "WALLE_E2E_DATABASE": effective_database_url(walle.config),
        "WALLE_E2E_USER": seed.USER,
        "WALLE_E2E_PASSWORD": secrets.password(),
        "WALLE_E2E_TOKEN": token,
        "WALLE_E2E_APP_KEY": secrets.app_key(),
        "WALLE_E2E_STRATEGY": json.dumps(in_stages(DEVICES, TESTERS)),
        "WALLE_E2E_PYTHON": sys.executable,
        "WALLE_E2E_KEEPER": str(os.getpid()),
        "WALLE_E2E_HELD": str(held),
    }
    results = walle.config.data_dir / "journeys.json"

    options = ("--reporter=default", "--reporter=json", f"--outputFile.json={results}")
    node = Path(sys.executable).with_name("node")
    browser = subprocess.Popen((node, *VITEST, *options, *names), cwd=FRONTEND, env={**os.environ, **environment})
    try:
        while browser.poll() is None:
            if not held.exists():
                walle.supervisor.tick()
            time.sleep(TICK_SECONDS)
    finally:
        browser.terminate()
        status = browser.wait()
    return status, read_failures(results) if status else {}


def read_failures(results: Path) -> dict[str, list[str]]:
    """Return the files of journeys that failed, each with its messages; none if Vitest wrote nothing."""
    if not results.exists():
        return {}
    files = json.loads(results.read_text())["testResults"]
    return {
        Path(file["name"]).name: [
            file.get("message", ""),
            *(
                "\n".join((test["fullName"], *test["failureMessages"]))
                for test in file["assertionResults"]
                if test["status"] == "failed"
            ),
        ]
        for file in files
        if file["status"] == "failed"
    }


def prepare(walle: run.Walle, server: str, token: str) -> None:
    """Create what the journeys expect."""
    from walleweb.demo import examples, seed
    from walleweb.demo.control_plane import ControlPlane
    from walleweb.demo.strategies import AT_ONCE
    from walleweb.demo.testers import gather_testers
    from walleweb.demo.watching import wait_until

    list(examples.publish(server, token, seed.APP, list(seed.APP_VERSIONS), AT_ONCE))
    walle.start_fleet(DEVICES, TESTERS, viewers=0.0)
    with ControlPlane(server, token) as control_plane:
        for example in (examples.BETTER, examples.UNFIT):
            examples.push_if_new(control_plane, server, token, example)
        wait_until(lambda: len(gather_testers(control_plane, seed.APP)) >= TESTERS, TESTERS_SECONDS, "testers' devices")


def find_browser() -> str:
    """Return the path of Chromium, from WALLE_CHROMIUM or from where systems install it."""
    for name in (os.environ.get("WALLE_CHROMIUM", ""), *CHROMIUM):
        if found := shutil.which(name):
            return found
    raise run.CannotRun("There is no Chromium: apt-get install chromium-headless-shell, or set WALLE_CHROMIUM to one.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
