from django.apps import AppConfig


class DevicesConfig(AppConfig):
    """Apps, devices, keys, published tables, reports."""

    name = "devices_app"
    verbose_name = "Devices"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from devices_app.attention import contribute
        from devices_app.selectors.attention import of_the_fleet

        contribute(of_the_fleet)
