from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Durable jobs: rows with leases that Celery messages only wake."""

    name = "jobs_app"
    verbose_name = "Jobs"
    default_auto_field = "django.db.models.BigAutoField"
