"""What `benchmarks.tunnel` measures with: links with recorded rates, lean clients, TLS handshakes, mosquitto."""
