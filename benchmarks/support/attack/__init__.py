"""The parts of benchmarks/attack.py."""
