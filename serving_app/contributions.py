"""What serving_app contributes to other apps: addresses, jobs, topics and the like."""

from kit.contributing import Contributions

CONTRIBUTIONS = Contributions(
    api=("serving_app.urls",),
)
