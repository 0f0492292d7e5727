"""What `benchmarks.withdrawal` measures with: thousands of connected devices in processes, and a bare push."""
