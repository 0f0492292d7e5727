"""Releases of tasks with a cloud half: it is tried on what devices would send up."""

import pytest

from releases_app.models import SimulationCell
from tests.bundle.test_task_format_doc import stream_example
from tests.releases_app.simulation.running import work
from tests.support.profiles import profile

pytestmark = pytest.mark.django_db(transaction=True)

STREAM = stream_example()
UPLOAD = """
[upload]
outputs = ["page"]
when = "seen_before"
answer_s = 2

[cloud]
main = "cloud/similar.py"
"""
ANSWER = """
def answer(features):
    assert all(feature == {"page": "item/1"} for feature in features), features
    return [{"similar": ["item/2"]} for feature in features]
"""
FILES = {**STREAM, "task.toml": STREAM["task.toml"] + UPLOAD, "cloud/similar.py": ANSWER}


def simulated(declare, started, **changes):
    """The only cell of a release of the stream task of docs/task-format.md with a cloud half, some files changed."""
    declare(v1_0_0=profile(sdk="1.1.0"))
    started({**FILES, **changes})
    work()
    return SimulationCell.objects.get()


def test_the_cloud_half_is_tried_on_the_runs_that_go_up(declare, started):
    cell = simulated(declare, started)
    assert (cell.state, cell.sentence) == ("passed", "2 samples passed, 2 features answered in the cloud")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "    return",
            "    raise OSError('no model')\n    return",
            "the cloud half: exception:OSError: OSError: no model",
        ),
        (
            "for feature in features]",
            "for feature in ()]",
            "the cloud half: output-invalid: expected a list of 2 answers",
        ),
    ],
)
def test_it_fails_by_its_cloud_half(declare, started, old, new, words):
    cell = simulated(declare, started, **{"cloud/similar.py": new.join(ANSWER.rsplit(old, 1))})
    assert cell.state == "failed"
    assert words in cell.sentence


def test_a_cloud_half_that_nothing_was_put_to_has_not_passed(declare, started):
    toml = FILES["task.toml"].replace("seen_before = { equals = true }\n", "")
    main = FILES["main.py"].replace('"seen_before": any(', '"seen_before": False and any(')
    cell = simulated(declare, started, **{"task.toml": toml, "main.py": main})
    assert cell.state == "failed"
    assert cell.sentence.startswith("no run of the samples goes up, so the cloud half cannot be tried")
