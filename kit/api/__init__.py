"""Shared behaviour of all REST operations."""
