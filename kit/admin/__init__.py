"""Shared building blocks of the admin pages."""
