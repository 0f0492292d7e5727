"""Devices that upload features while everything between them and the table breaks."""
