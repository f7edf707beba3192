"""How people set the past right: corrections, what they would change, and what hands must do."""
