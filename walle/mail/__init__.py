"""Events by e-mail: their kinds, when a message is due, when one is given up, addresses, and what it says. No I/O."""
