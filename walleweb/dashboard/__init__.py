"""Serves the browser dashboard, which is built from frontend/ into frontend/dist."""
