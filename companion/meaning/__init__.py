"""What taps mean, game by game."""
