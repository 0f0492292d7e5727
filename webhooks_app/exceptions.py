"""Errors of webhooks_app."""


class WebhookInactive(Exception):
    """The webhook is switched off: switch it on first."""

    def __init__(self) -> None:
        super().__init__("the webhook is not active: switch it on first")
