"""What benchmarks/attack.py is made of."""
