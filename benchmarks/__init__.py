"""One file per claim; run one with `make bench NAME=<name>`."""
