from django.apps import AppConfig
from django.core.checks import Tags, register


class WallewebConfig(AppConfig):
    """The parts that belong to no single app, and the connections between apps."""

    name = "walleweb"
    verbose_name = "Walle"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from walleweb.older_layout import check_layout
        from walleweb.wiring import connect_apps

        connect_apps()
        register(check_layout, Tags.database)
