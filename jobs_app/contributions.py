"""The contributions of jobs_app to other apps."""

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(jobs=("jobs_app.jobs",), metrics=("jobs_app.metrics.METRICS",))
