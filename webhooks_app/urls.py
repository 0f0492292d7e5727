"""Addresses of this app below /api/v1/."""

from kit.api.paths import route
from webhooks_app.api import mail, views

urlpatterns = [
    route("account/mail", mail.AccountMail),
    route("account/mail/address", mail.AccountMailAddress),
    route("account/mail/confirm", mail.AccountMailConfirmation),
    route("account/mail/test", mail.AccountMailTest),
    route("webhooks", views.Webhooks),
    route("webhooks/{webhook}", views.WebhookDetail),
    route("webhooks/{webhook}/ping", views.WebhookPing),
    route("webhooks/{webhook}/rotate-secret", views.WebhookSecret),
    route("webhooks/{webhook}/deliveries", views.Deliveries),
    route("webhooks/{webhook}/deliveries/{delivery}", views.DeliveryDetail),
    route("webhooks/{webhook}/deliveries/{delivery}/replay", views.DeliveryReplay),
]
