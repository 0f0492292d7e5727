"""The REST API of scenarios, tasks and versions."""

from kit.api.paths import PathName, declare_path_names
from walle.protocol.names import SLUG_PATTERN

declare_path_names(
    scenario=PathName("slug of a scenario", "camera", SLUG_PATTERN.pattern),
    task=PathName("slug of a task within its scenario", "digits", SLUG_PATTERN.pattern),
    version=PathName("version of a task, such as 1.0.0", "1.0.0", "[0-9A-Za-z.+-]{1,64}"),
)
