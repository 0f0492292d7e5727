"""Content-addressed storage of artifacts and its immutable, resumable HTTP face."""
