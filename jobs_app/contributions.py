"""What jobs add to the whole."""

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(jobs=("jobs_app.jobs",), metrics=("jobs_app.metrics.METRICS",))
