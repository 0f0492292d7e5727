"""What REST promises around every operation, whatever it is about."""
