"""The REST API of pipelines, and of the hosts that serve them."""

from kit.api.paths import PathName, declare_path_names

declare_path_names(host=PathName("name of a serving host", "serving-1", "[A-Za-z0-9._:-]{1,100}"))
