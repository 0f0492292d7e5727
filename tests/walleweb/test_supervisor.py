"""Programs that end are started again, later and later; nothing is left at the end."""

import signal
import sys

import pytest

from tests.support.waiting import ANSWER_S, wait_for
from walleweb.embedded import supervisor as module
from walleweb.embedded.supervisor import Program, Supervisor, describe_exit, restart_delay, stop_together

pytestmark = pytest.mark.processes

FOREVER = "import threading; threading.Event().wait()"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); {FOREVER}"


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Fragile:
    """A service that ends when the test says so and starts as often as it is allowed to."""

    name = "fragile"

    def __init__(self, *, starts=1000):
        self.starts_left, self.started, self.status = starts, 0, None

    def start(self):
        if not self.starts_left:
            raise RuntimeError("no more starts")
        self.starts_left -= 1
        self.started += 1
        self.status = None

    def poll(self):
        return self.status

    def stop(self):
        self.status = 0


@pytest.fixture
def lines():
    return []


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def family(lines, clock):
    supervisor = Supervisor(report=lines.append, clock=clock)
    yield supervisor
    supervisor.stop()


def program(tmp_path, code, name="child"):
    return Program(name, (sys.executable, "-c", code), tmp_path / f"{name}.log")


def test_pauses_double_up_to_half_a_minute():
    assert [restart_delay(failures) for failures in (1, 2, 3, 6, 7, 8, 100)] == [0.5, 1, 2, 16, 30, 30, 30]


def test_a_service_that_may_end_comes_back_only_after_a_failure(family, clock, lines):
    service = Fragile()
    family.start(service, may_end=True)
    service.status = 1
    family.tick()
    clock.now += 1
    family.tick()
    assert service.started == 2
    service.status = 0
    for _ in range(3):
        family.tick()
        clock.now += 60
    assert service.started == 2
    assert lines == ["fragile ended with status 1; next start in 0.5 s", "fragile is back"]


def test_an_ended_service_comes_back_after_its_pause(family, clock, lines):
    service = Fragile()
    family.start(service)
    service.status = 1
    family.tick()
    clock.now += 0.4
    family.tick()
    assert service.started == 1
    clock.now += 0.2
    family.tick()
    assert service.started == 2
    assert lines == ["fragile ended with status 1; next start in 0.5 s", "fragile is back"]


def test_a_service_that_ends_again_and_again_waits_longer_until_it_has_lasted(family, clock, lines):
    service = Fragile()
    family.start(service)
    for _ in range(3):
        service.status = 1
        family.tick()
        clock.now += 30
        family.tick()
    clock.now += module.HEALTHY_SECONDS
    service.status = 1
    family.tick()
    pauses = [line.split("in ")[1] for line in lines if "next start" in line]
    assert pauses == ["0.5 s", "1 s", "2 s", "0.5 s"]


def test_a_service_that_cannot_start_again_is_tried_again(family, clock, lines):
    service = Fragile(starts=1)
    family.start(service)
    service.status = -int(signal.SIGKILL)
    family.tick()
    clock.now += 1
    family.tick()
    assert lines[-1] == "fragile does not start: no more starts; next start in 1 s"
    service.starts_left = 1
    clock.now += 1
    family.tick()
    assert lines[-1] == "fragile is back"


def test_a_first_start_that_fails_is_the_callers_to_know(family):
    with pytest.raises(RuntimeError, match="no more starts"):
        family.start(Fragile(starts=0))


def test_a_killed_program_is_started_again(tmp_path, family, clock, lines):
    child = program(tmp_path, FOREVER)
    family.start(child)
    first = child.process.pid
    child.process.kill()
    wait_for(lambda: child.poll() is not None, describe="the child to be gone")
    family.tick()
    clock.now += 1
    family.tick()
    assert child.process.pid != first
    assert lines[0].startswith("child was ended by SIGKILL")


def test_programs_are_stopped_together_and_a_deaf_one_is_killed(tmp_path):
    willing, deaf = program(tmp_path, FOREVER, "willing"), program(tmp_path, DEAF, "deaf")
    for child in (willing, deaf):
        child.start()
    wait_for(deaf.log.read_text, describe="the deaf program to ignore SIGTERM")
    stop_together([willing, deaf], seconds=0.5)
    assert [child.process.returncode for child in (willing, deaf)] == [-signal.SIGTERM, -signal.SIGKILL]


def test_output_goes_to_a_log_that_does_not_grow_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_LOG", 3)
    child = program(tmp_path, "print('said')")
    for _ in range(2):
        child.start()
        child.process.wait(timeout=ANSWER_S)
    assert child.log.read_text() == "said\n"
    assert child.log.with_suffix(".old.log").read_text() == "said\n"


def test_exits_in_words():
    assert describe_exit(2) == "ended with status 2"
    assert describe_exit(-15) == "was ended by SIGTERM"
