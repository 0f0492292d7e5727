"""Models of what is told to programs and people: webhooks with their deliveries, and e-mail."""

from webhooks_app.models.mail import OPEN_MAILS, Mail, MailedEntry, MailSettings
from webhooks_app.models.webhooks import OPEN, SCOPE_FORMATS, Attempt, Delivery, DeliveryState, Webhook

__all__ = [
    "OPEN",
    "OPEN_MAILS",
    "SCOPE_FORMATS",
    "Attempt",
    "Delivery",
    "DeliveryState",
    "Mail",
    "MailSettings",
    "MailedEntry",
    "Webhook",
]
