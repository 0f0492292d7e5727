from django.apps import AppConfig


class TasksConfig(AppConfig):
    """What is released: scenarios, tasks, versions."""

    name = "tasks_app"
    verbose_name = "Tasks"
    default_auto_field = "django.db.models.BigAutoField"
