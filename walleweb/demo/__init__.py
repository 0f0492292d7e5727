"""What a newcomer sees first: an app, three scenarios with real tasks, and people who may release them."""
