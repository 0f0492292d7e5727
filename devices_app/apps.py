from django.apps import AppConfig


class DevicesConfig(AppConfig):
    """Apps, devices, keys, published tables, reports."""

    name = "devices_app"
    verbose_name = "Devices"
    default_auto_field = "django.db.models.BigAutoField"
