from django.apps import AppConfig


class ServingConfig(AppConfig):
    """What runs in the cloud: pipelines, fragments, shards, placements."""

    name = "serving_app"
    verbose_name = "Serving"
    default_auto_field = "django.db.models.BigAutoField"
