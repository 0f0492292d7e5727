"""The REST face of this app, and what the REST faces of all apps share: base view, pages, descriptions."""
