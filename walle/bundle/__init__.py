"""What a task is: task.toml, its validation, and the bundle built from a tree of files."""
