"""What is released: the fixtures of tasks, their versions and an app, and a fleet."""

from tests.tasks_app.conftest import (  # noqa: F401  fixtures
    camera,
    clone,
    copy,
    developer,
    fleet,
    folders,
    keys,
    released,
    repository,
    served,
    server,
    shop,
    versions,
)
