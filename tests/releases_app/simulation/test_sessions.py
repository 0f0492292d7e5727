"""Releases of stream tasks: their sessions are replayed in the simulation, and each firing is a run in the sandbox."""

import pytest

from releases_app.models import SimulationCell
from tests.bundle.test_task_format_doc import stream_example
from tests.releases_app.simulation.running import work
from tests.support.profiles import profile

pytestmark = pytest.mark.django_db(transaction=True)

FILES = stream_example()


def simulated(declare, started, **changes):
    """The only cell of a release of the stream task of docs/task-format.md, with some of its files changed."""
    declare(v1_0_0=profile(sdk="1.1.0"))
    started({**FILES, **changes})
    work()
    return SimulationCell.objects.get()


def test_a_stream_task_passes_by_its_session(declare, started):
    toml = FILES["task.toml"] + '[files]\nexclude = ["samples/**"]\n'
    cell = simulated(declare, started, **{"task.toml": toml})
    assert (cell.state, cell.sentence) == ("passed", "2 samples passed")
    assert [sample["name"] for sample in cell.result["samples"]] == [
        "two items, the first one twice",
        "two items, the first one twice (again, in the VM that was kept)",
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("main.py", '"seen_before": any(', '"seen_before": not any(', "seen_before: expected True, found False"),
        ("task.toml", "fires = 3", "fires = 2", "expected the session to trigger the task 2 times, found 3 times"),
        ("task.toml", '"page_exit"', '"page_exit:item/3"', "no event of the session triggers the task"),
        ("main.py", 'visit["page"]', 'visit["name"]', "exception:KeyError: KeyError: 'name'"),
    ],
)
def test_it_fails_by_its_session(declare, started, file, old, new, words):
    assert old in FILES[file]
    cell = simulated(declare, started, **{file: FILES[file].replace(old, new, 1)})
    assert cell.state == "failed"
    assert words in cell.sentence


def test_an_app_with_an_older_runtime_is_excluded(declare, started):
    declare(v1_0_0=profile(), v2_0_0=profile(sdk="1.1.0"))
    started(FILES)
    work()
    assert {cell.app_version: cell.state for cell in SimulationCell.objects.all()} == {
        "1.0.0": "excluded",
        "2.0.0": "passed",
    }
