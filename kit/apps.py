from django.apps import AppConfig


class KitConfig(AppConfig):
    """What every control plane needs and no app owns."""

    name = "kit"
    verbose_name = "Kit"
    default_auto_field = "django.db.models.BigAutoField"
