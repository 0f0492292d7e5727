"""The device's end of the tunnel: outputs go up as features; answers, offers and withdrawals come down."""
