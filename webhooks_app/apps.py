from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Who is told of events: programs by webhooks, people by e-mail."""

    name = "webhooks_app"
    verbose_name = "Webhooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts_app.signals import recorded
        from webhooks_app.services.mail_outbox import note_for_mail
        from webhooks_app.services.outbox import note

        recorded.connect(note)
        recorded.connect(note_for_mail)
