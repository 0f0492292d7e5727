"""Tasks as files: task.toml, its validation, and the bundle built from a tree of files."""
