"""How settings are read, written, watched and documented, whatever they are about."""
