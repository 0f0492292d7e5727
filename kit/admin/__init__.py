"""What the admin pages of all apps have in common."""
