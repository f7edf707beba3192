"""Tries everything in a bare Debian: the README's two commands, the installation, the package.

`.ci/bare-debian 12` is the command. It runs as root, in namespaces of its own: what it mounts
and starts ends with it, and it writes nowhere but below its folder.
"""
