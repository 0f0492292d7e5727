"""The REST API of pipelines and of the hosts that serve them, of workflows and their placements."""

from kit.api.paths import PathName, declare_path_names
from walle.protocol.names import SLUG_PATTERN

declare_path_names(
    host=PathName("name of a serving host", "serving-1", "[A-Za-z0-9._:-]{1,100}"),
    workflow=PathName("slug of a workflow within its scenario", "questions", SLUG_PATTERN.pattern),
    placement=PathName("number of a placement", 1, kind=int),
)
