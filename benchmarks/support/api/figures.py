"""The figures that periodic jobs of a running Walle store, and that are missing without a worker."""

from __future__ import annotations


def keep_figures_of_now() -> None:
    """Store all of them once."""
    from django.utils import timezone

    from devices_app.services.census import keep_counts
    from releases_app.services.figures import keep_figures

    keep_counts(now=timezone.now())
    keep_figures(now=timezone.now())
