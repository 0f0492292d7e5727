"""Errors of webhooks_app."""


class WebhookInactive(Exception):
    """The webhook is switched off: switch it on first."""

    def __init__(self) -> None:
        super().__init__("the webhook is not active: switch it on first")


class MailUnavailable(Exception):
    """This server sends no e-mail."""

    def __init__(self) -> None:
        super().__init__("this server sends no e-mail: an operator has to set WALLE_MAIL_URL and WALLE_MAIL_FROM")


class NoAddress(Exception):
    """The person has no address, or none that is confirmed."""

    def __init__(self) -> None:
        super().__init__("there is no address to send to: give yours, and follow the link that is sent to it")


class WrongLink(Exception):
    """The link is not one that this person was sent, or not any more."""

    def __init__(self) -> None:
        super().__init__("this link is not valid for you, or not any more: give the address again for a new one")
