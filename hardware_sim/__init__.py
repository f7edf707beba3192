"""The physical world in software: tags, readers, and a menu of faults."""
