"""What a board is made of: the file `settings.json` on it.

Without the file a board has one PN532 on SPI and a USB serial line. As an example, four
places with an ADXL345, over Wi-Fi:

    {"places": 4, "reader": "pn532-spi", "ship": "adxl345", "buttons": ["stop", "undo"],
     "wifi": {"name": "Harbour", "password": "under the sea", "port": 5555}}
"""

import json

from firmware_bridge.accelerometer import ACCELEROMETERS, Accelerometer
from firmware_bridge.messages import SHUFFLE, STOP, UNDO

READERS = ("pn532-spi", "pn532-uart", "rc522")
SHIPS = ("none", "tilt-switch", "lis3dh", "adxl345", "mpu6050")
BUTTONS = {"stop": STOP, "undo": UNDO, "shuffle": SHUFFLE}
MOST_PLACES = 8
MOST_ON_UART = 2
DEFAULT_PORT = 5555


class SettingsError(ValueError):
    """The settings cannot be; the text says which and what is possible."""


class Settings:
    """The checked settings.

    Attributes:
        pins: which table of pins; empty for that of the board it runs on.
        places: how many, 0 to 8: a ship has none.
        reader: one of READERS.
        ship: one of SHIPS.
        buttons: what each place's button means, as a constant of `messages`.
        wifi: name and password of the network, and the port to listen on; None for USB.
    """

    def __init__(self, text: str) -> None:
        try:
            found = json.loads(text)
        except ValueError:
            raise SettingsError("settings.json is not JSON.") from None
        if not isinstance(found, dict):
            raise SettingsError('settings.json is an object, such as {"places": 4}.')
        for key in found:
            if key not in ("pins", "places", "reader", "ship", "buttons", "wifi"):
                raise SettingsError(f"settings.json has a setting {key}, which there is not.")
        self.pins = str(found.get("pins", ""))
        self.reader = _one_of("reader", found.get("reader", READERS[0]), READERS)
        self.ship = _one_of("ship", found.get("ship", SHIPS[0]), SHIPS)
        self.places = found.get("places", 1)
        most = MOST_ON_UART if self.reader == "pn532-uart" else MOST_PLACES
        if type(self.places) is not int or not 0 <= self.places <= most:
            raise SettingsError(f"places is 0 to {most} with {self.reader}.")
        self.buttons = _buttons(found.get("buttons", []), self.places)
        self.wifi = _wifi(found.get("wifi"))


def read_settings(path: str) -> Settings:
    """The settings in this file, or the usual ones where there is none.

    Raises:
        SettingsError: they cannot be.
    """
    try:
        with open(path) as file:  # noqa: PTH123 - MicroPython has no pathlib
            text = file.read()
    except OSError:
        text = "{}"
    return Settings(text)


def accelerometer_named(name: str) -> Accelerometer | None:
    """The kind of that name; None for a tilt switch and for none."""
    for kind in ACCELEROMETERS:
        if kind.name == name:
            return kind
    return None


def _one_of(key: str, value: object, words: tuple[str, ...]) -> str:
    if value not in words:
        raise SettingsError(f"{key} is one of {', '.join(words)}.")
    return str(value)


def _buttons(value: object, places: int) -> list[int]:
    if not isinstance(value, list) or len(value) > max(places, 1):
        raise SettingsError("buttons is a list with one word for each place.")
    for word in value:
        if word not in BUTTONS:
            raise SettingsError(f"A button is one of {', '.join(BUTTONS)}.")
    kinds = [BUTTONS[word] for word in value]
    return kinds + [STOP] * (places - len(kinds))


def _wifi(value: object) -> tuple[str, str, int] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise SettingsError("wifi is an object with name, password and port.")
    name, password = value.get("name"), value.get("password", "")
    port = value.get("port", DEFAULT_PORT)
    if not isinstance(name, str) or not name or not isinstance(password, str):
        raise SettingsError("wifi needs the name of the network, and its password.")
    if type(port) is not int or not 0 < port < 65536:
        raise SettingsError("The port of wifi is a number from 1 to 65535.")
    return name, password, port
