from django.apps import AppConfig
from django.core.checks import Tags, register


class WallewebConfig(AppConfig):
    """The whole: what belongs to no app, and what joins them."""

    name = "walleweb"
    verbose_name = "Walle"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from walleweb.older_layout import check_layout
        from walleweb.wiring import connect_apps

        connect_apps()
        register(check_layout, Tags.database)
