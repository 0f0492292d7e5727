from django.apps import AppConfig


class TasksConfig(AppConfig):
    """Scenarios, tasks and versions."""

    name = "tasks_app"
    verbose_name = "Tasks"
    default_auto_field = "django.db.models.BigAutoField"
