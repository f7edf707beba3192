"""The pages, the HTTP API and the event streams. It asks the table and renders, no more."""

from web_ui.app import create_app
from web_ui.server import Server, listen

__all__ = ["Server", "create_app", "listen"]
