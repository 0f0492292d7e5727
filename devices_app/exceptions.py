"""What goes wrong with apps and their devices, as callers see it."""


class InUse(Exception):
    """A release in the app's table asks for what was to be taken away."""
