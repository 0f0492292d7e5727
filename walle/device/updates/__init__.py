"""How a device comes by the versions that it is offered: what it believes, downloads and installs."""
