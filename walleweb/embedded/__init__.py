"""Services that Walle starts by itself, so that one command runs the complete system."""
