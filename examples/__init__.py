"""Three real tasks to release: image, text, recommendation."""
