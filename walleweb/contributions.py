"""The contributions that belong to no app."""

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(jobs=("walleweb.jobs",), metrics=("walleweb.metrics.postgres.METRICS",))
