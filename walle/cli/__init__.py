"""The `walle` command: what developers, CI and on-call engineers do with Walle, from a terminal."""
