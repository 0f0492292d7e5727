"""The cloud's end of the tunnel: one WebSocket per device, features up, answers and withdrawals down."""
