"""Releases for site staff."""

from releases_app import admin_delivery, admin_exposures, admin_releases  # noqa: F401  register their pages
