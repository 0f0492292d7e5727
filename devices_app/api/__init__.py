"""The REST API of apps, devices, their facts and lists."""

from kit.api.paths import PathName, declare_path_names
from walle.protocol.names import DEVICE_ID_PATTERN, SLUG_PATTERN

declare_path_names(
    app=PathName("slug of an app", "shop", SLUG_PATTERN.pattern),
    app_version=PathName("version of an app, such as 1.0.0", "1.0.0", "[!-.0-~]{1,64}"),
    fact=PathName(
        "name of a fact, such as app_theme or user.age_band", "user.vip", r"(?:user\.)?[a-z][a-z0-9_-]{0,39}"
    ),
    id_list=PathName("name of an id list of an app", "testers", SLUG_PATTERN.pattern),
    device=PathName("id of a device within its app", "phone", DEVICE_ID_PATTERN.pattern),
    key=PathName("number of an app's key", 1, kind=int),
    feature=PathName("number of a feature", 1, kind=int),
)
