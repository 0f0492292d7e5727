"""The REST API of webhooks and their deliveries."""

from kit.api.paths import PathName, declare_path_names

declare_path_names(
    webhook=PathName("number of a webhook", 1, kind=int),
    delivery=PathName("number of a delivery of the webhook", 1, kind=int),
)
