"""How other devices find the table: its addresses, its name `tidetable.local`, its own Wi-Fi."""
