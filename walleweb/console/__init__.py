"""The admin pages as one console: its groups, its colours, and its home, beside the pages that each app has."""
