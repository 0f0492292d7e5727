"""Merging of rasters (Walle, section 4.1): rules that make a lowered graph move less. Begin with `rules`."""
