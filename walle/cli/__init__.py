"""The walle command."""
