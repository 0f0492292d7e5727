from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Members, roles, API tokens and the audit log."""

    name = "accounts_app"
    verbose_name = "Accounts"
    default_auto_field = "django.db.models.BigAutoField"
