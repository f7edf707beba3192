"""The wizard that sets a game up: language, game, players, readers, ship, house rules, start."""
