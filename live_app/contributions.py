"""What the live channel adds to the whole."""

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(jobs=("live_app.jobs",))
