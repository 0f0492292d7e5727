from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Webhooks, which send events to other programs: their deliveries, every attempt."""

    name = "webhooks_app"
    verbose_name = "Webhooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts_app.signals import recorded
        from webhooks_app.services.outbox import note

        recorded.connect(note)
