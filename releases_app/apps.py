from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    """Releases, which bring versions to devices: stages, exposures, verdicts, simulation tests."""

    name = "releases_app"
    verbose_name = "Releases"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from releases_app.services.retirement import check_return, publish_changed
        from tasks_app.signals import task_changed, task_returns

        task_returns.connect(check_return)
        task_changed.connect(publish_changed)
