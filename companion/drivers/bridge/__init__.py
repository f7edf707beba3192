"""Boards that speak the link of `firmware_bridge`: `driver` holds the port, `board` the rest.

`board` makes readings of messages without port, thread or clock; `clock` brings the board's
milliseconds onto the host's clock. docs/board-protocol.md tells what goes over the wire.
"""

from companion.drivers.bridge.driver import BridgeDriver

__all__ = ["BridgeDriver"]
