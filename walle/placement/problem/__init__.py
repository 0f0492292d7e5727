"""What a placement problem is (`model`), and how its document in JSON is read and checked (`document`)."""
