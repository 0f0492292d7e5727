from django.apps import AppConfig


class TasksConfig(AppConfig):
    """What is released: scenarios, tasks, versions, releases."""

    name = "tasks_app"
    verbose_name = "Tasks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from devices_app.signals import reports_stored
        from devices_app.versions import VERSIONS
        from tasks_app.selectors.names import manifest_of
        from tasks_app.services.reconciliation import look_at_reported

        reports_stored.connect(look_at_reported)
        VERSIONS.manifest_of = manifest_of
