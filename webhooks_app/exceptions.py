"""What can go wrong in this app, named from the caller's view."""


class WebhookInactive(Exception):
    """The webhook hears nothing now: switch it on first."""

    def __init__(self) -> None:
        super().__init__("the webhook is not active: switch it on first")
