"""Pages on which tags are put on things, and the sheet on which the stickers are laid out."""
