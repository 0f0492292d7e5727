"""Shared building blocks of a control plane. The kit imports no app."""
