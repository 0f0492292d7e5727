"""The demonstration for newcomers: an app, three scenarios with real tasks, and people who may release them."""
