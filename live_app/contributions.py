"""The contributions of the live channel."""

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(jobs=("live_app.jobs",))
