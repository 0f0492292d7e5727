"""The serving process: it installs released pipelines, and answers predictions over HTTP."""
