"""Tidetable: the service that reads the table, referees the game and keeps the score."""
