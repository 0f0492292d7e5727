"""Vehicles of two lanes on video: detected, recognised, joined with their lanes, counted in windows."""
