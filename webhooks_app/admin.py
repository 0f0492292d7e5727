"""Webhooks and e-mail for site staff."""

from webhooks_app import admin_mail, admin_webhooks  # noqa: F401  register their pages
