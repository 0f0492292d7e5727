"""The REST API of users, roles, tokens and the audit log."""

from accounts_app.models import Role
from kit.api.paths import PathName, declare_path_names

declare_path_names(
    user=PathName("user name", "bob", r"[A-Za-z0-9_.@+-]{1,150}"),
    role=PathName("role", "viewer", words=tuple(Role.values)),
    session=PathName("number of a session", 1, kind=int),
    token=PathName("a token's public beginning, such as wl_0123abcd", "wl_0123abcd", "wl_[0-9a-f]{8}"),
)
