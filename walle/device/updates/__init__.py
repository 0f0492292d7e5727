"""Updates of a device: the verification, download and installation of offered versions."""
