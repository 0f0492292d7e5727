"""The gradient of each atomic operator and of raster, as operators, and how those of a graph come together."""
