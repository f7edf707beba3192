"""Installing Tidetable on a computer of its own: what is put where, and how it is undone.

`files` renders what the system's files say, and knows of nothing else; `step` is what a step of
the installation is, and a plan of them; the other modules are the steps. All that they read and
do goes through a `System`, so a folder can stand in for a computer.
"""
