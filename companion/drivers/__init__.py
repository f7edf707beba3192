"""One module for each kind of hardware; `api` says what a driver is."""
