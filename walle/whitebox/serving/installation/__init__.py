"""Installing pipelines on a serving host: signed manifests and files by digest, as devices install tasks."""
