"""What runs on a microcontroller beside the board, and the modules that both ends share.

It imports nothing of the rest of the project.
"""
