"""What every control plane needs and no app owns. It knows no app."""
