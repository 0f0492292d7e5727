from django.apps import AppConfig


class KitConfig(AppConfig):
    """Shared building blocks of a control plane."""

    name = "kit"
    verbose_name = "Kit"
    default_auto_field = "django.db.models.BigAutoField"
