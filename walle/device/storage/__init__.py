"""What a device keeps: one directory in which everything survives the death of the process, at any moment."""
