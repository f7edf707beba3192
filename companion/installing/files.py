"""What the system's files say. Pure: the installation and the package render the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from companion.installing.choices import DATA, Choices
from companion.installing.system import PROGRAM

USER = "tidetable"
"""The user that the service runs as, and their group."""

GROUPS = ("dialout", "gpio", "i2c", "spi", "plugdev", "video")
"""Groups that may use serial ports, pins, buses and readers; video asks the Pi's firmware."""

BECOME = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", "--inh-caps=-all")
"""Before a command of root's that is to work as that user."""

MARK = "Written by the installation of Tidetable, and written anew by the next one"
"""In each file, so that it is known for ours."""

UNIT_NAME = "tidetable.service"
COMPANION = PROGRAM / "venv/bin/companion"

UNIT = Path("/etc/systemd/system") / UNIT_NAME
UDEV = Path("/etc/udev/rules.d/70-tidetable.rules")
MODPROBE = Path("/etc/modprobe.d/tidetable.conf")
POLKIT = Path("/etc/polkit-1/rules.d/50-tidetable.rules")
COMMAND = Path("/usr/local/bin/companion")
"""Where they lie; a package puts them under /usr/lib and /usr/share instead."""

MODULES = ("pn533_usb", "pn533", "nfc")
"""Kernel modules that take an ACR122U away from pcscd, in the order of unloading."""


@dataclass(frozen=True, slots=True)
class Device:
    """A kind of reader or board at the USB.

    Attributes:
        name: of its links below /dev/tidetable.
        vendor: its USB vendor, in hex.
        product: its USB product; None for all of this vendor.
        what: in words.
    """

    name: str
    vendor: str
    product: str | None
    what: str


BOARDS = (
    Device("pico", "2e8a", None, "Raspberry Pi Pico"),
    Device("arduino", "2341", None, "Arduino"),
    Device("arduino", "2a03", None, "Arduino"),
    Device("esp32", "303a", None, "ESP32 with USB of its own"),
    Device("ch340", "1a86", None, "CH340 and CH9102, on many boards"),
    Device("cp210x", "10c4", None, "CP210x, on many boards"),
    Device("ftdi", "0403", None, "FTDI, on adapters and boards"),
)
"""What speaks at a serial port."""

READERS = (
    Device("acr122u", "072f", "2200", "ACS ACR122U"),
    Device("acr1252u", "072f", "223b", "ACS ACR1252U"),
)
"""What pcscd speaks to. Any reader works with it; these get a link, which the doctor looks at."""


def unit(choices: Choices, companion: Path = COMPANION) -> str:
    """The unit of systemd.

    Args:
        choices: how the computer is installed.
        companion: the command.
    """
    data = str(choices.data)
    folder = (
        ["StateDirectory=tidetable", "StateDirectoryMode=0700"]
        if choices.data == DATA
        else [f"ReadWritePaths={data}"]
    )
    return "\n".join(
        [
            f"# {MARK}:",
            "# put changes of your own into a drop-in, by `systemctl edit tidetable`.",
            "[Unit]",
            "Description=Tidetable, the companion of a table with board games",
            "# Not behind network-online.target: the table works without a network.",
            "After=local-fs.target pcscd.socket",
            "# DeviceAllow= knows only what the kernel knows when the service starts, and these",
            "# modules are loaded by the first board that is plugged in, which may be later.",
            *(f"{word}={' '.join(_LOADED)}" for word in ("Wants", "After")),
            f"RequiresMountsFor={data}",
            "# It is tried again for some minutes; a computer that starts anew tries anew.",
            "StartLimitIntervalSec=10min",
            "StartLimitBurst=30",
            "",
            "[Service]",
            "Type=notify",
            "NotifyAccess=main",
            "# Where it serves stands in table.toml in the data folder, like all other settings.",
            f"ExecStart={companion} run --data {data}",
            "# The shell's own, since a bare Debian 13 has no other.",
            "ExecReload=/bin/sh -c 'kill -HUP ${MAINPID}'",
            f"User={USER}",
            f"Group={USER}",
            "UMask=0077",
            "Restart=on-failure",
            "RestartSec=5s",
            "TimeoutStartSec=180s",
            "TimeoutStopSec=20s",
            "# A table whose thread is stuck is ended and started again; the log then says where.",
            "WatchdogSec=30s",
            "Environment=PYTHONFAULTHANDLER=1 PYTHONUNBUFFERED=1",
            "",
            "# The one folder that can be written. lgpio's pipe lies there, too.",
            *folder,
            "# And one for all to read: where the pages are, for the display.",
            f"RuntimeDirectory={USER}",
            "RuntimeDirectoryMode=0755",
            f"WorkingDirectory={data}",
            f"Environment=LG_WD={data}",
            "# Pins by lgpio or not at all: gpiozero would look for other ways, down to a slow one.",
            "Environment=GPIOZERO_PIN_FACTORY=lgpio",
            "ProtectSystem=strict",
            "ProtectHome=yes",
            "PrivateTmp=yes",
            "",
            "# Serial ports, pins and buses; vcio tells whether the power supply is too weak.",
            "DevicePolicy=closed",
            *(f"DeviceAllow={group} rw" for group in _DEVICES),
            "",
            "# AF_NETLINK tells the computer's addresses.",
            "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
            "# For port 80, which needs no number in the address.",
            "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
            "AmbientCapabilities=CAP_NET_BIND_SERVICE",
            "NoNewPrivileges=yes",
            "KeyringMode=private",
            "LockPersonality=yes",
            "MemoryDenyWriteExecute=yes",
            "ProcSubset=all",
            "ProtectControlGroups=yes",
            "ProtectHostname=yes",
            "ProtectKernelLogs=yes",
            "ProtectKernelModules=yes",
            "ProtectKernelTunables=yes",
            "ProtectProc=invisible",
            "RemoveIPC=yes",
            "RestrictNamespaces=yes",
            "RestrictRealtime=yes",
            "RestrictSUIDSGID=yes",
            "SystemCallArchitectures=native",
            "SystemCallErrorNumber=EPERM",
            "SystemCallFilter=@system-service",
            "SystemCallFilter=~@privileged @resources",
            "# Asked whether the clock follows the network's; to set it would need a capability.",
            "SystemCallFilter=adjtimex clock_adjtime",
            "",
            "# Many times what it needs; a leak ends the service and not the computer.",
            "MemoryHigh=300M",
            "MemoryMax=400M",
            "TasksMax=400",
            "LimitCORE=0",
            "",
            "[Install]",
            "WantedBy=multi-user.target",
            "",
        ]
    )


_LOADED = (
    *("modprobe@cdc_acm.service", "modprobe@usbserial.service"),
    *("modprobe@i2c_dev.service", "modprobe@spidev.service"),
)
_DEVICES = (
    *("char-ttyACM", "char-ttyUSB", "char-ttyAMA", "char-ttyS"),
    *("char-gpiochip", "char-i2c", "char-spi", "char-vcio"),
)


def udev_rules() -> str:
    """Stable names for boards and readers, for this user, and without ModemManager."""
    lines = [
        f"# {MARK}.",
        "#",
        "# A board is /dev/tidetable/KIND-SERIAL where it has a serial number, and in any case",
        "# /dev/tidetable/KIND-at-PATH, by the socket that it is plugged into.",
        "# ModemManager would send modem commands to whatever is plugged in.",
        'ACTION=="remove", GOTO="tidetable_end"',
        'SUBSYSTEM=="tty", KERNEL=="ttyACM*|ttyUSB*", GOTO="tidetable_board"',
        'SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", GOTO="tidetable_reader"',
        'GOTO="tidetable_end"',
        "",
        'LABEL="tidetable_board"',
        "# udev's own rules for serial ports know these two; here they are asked for in case. They",
        "# are those of the board itself, and not of a hub between.",
        'ENV{ID_VENDOR_ID}=="", IMPORT{builtin}="usb_id"',
        'ENV{ID_PATH}=="", IMPORT{builtin}="path_id"',
    ]
    for device in BOARDS:
        lines += [
            f"# {device.what}",
            f'ENV{{ID_VENDOR_ID}}=="{device.vendor}", ENV{{TIDETABLE_KIND}}="{device.name}"',
        ]
    lines += [
        'ENV{TIDETABLE_KIND}=="", GOTO="tidetable_end"',
        'ENV{ID_MM_DEVICE_IGNORE}="1", ENV{ID_MM_PORT_IGNORE}="1"',
        'GROUP="dialout", MODE="0660"',
        "# The first interface is the console, as the drivers take it.",
        'ENV{ID_USB_INTERFACE_NUM}=="?*", ENV{ID_USB_INTERFACE_NUM}!="00", ENV{TIDETABLE_PORT}="-$env{ID_USB_INTERFACE_NUM}"',
        'ENV{ID_SERIAL_SHORT}=="?*", SYMLINK+="tidetable/$env{TIDETABLE_KIND}-$env{ID_SERIAL_SHORT}$env{TIDETABLE_PORT}"',
        'ENV{ID_PATH}=="?*", SYMLINK+="tidetable/$env{TIDETABLE_KIND}-at-$env{ID_PATH}"',
        'GOTO="tidetable_end"',
        "",
        'LABEL="tidetable_reader"',
    ]
    lines += [
        f'ATTR{{idVendor}}=="{device.vendor}", ENV{{ID_MM_DEVICE_IGNORE}}="1"' for device in BOARDS
    ]
    for device in READERS:
        lines += [
            f"# {device.what}",
            f'ATTR{{idVendor}}=="{device.vendor}", ATTR{{idProduct}}=="{device.product}", ENV{{TIDETABLE_KIND}}="{device.name}"',
        ]
    lines += [
        'ENV{TIDETABLE_KIND}=="", GOTO="tidetable_end"',
        'ENV{ID_PATH}=="", IMPORT{builtin}="path_id"',
        'ATTR{serial}=="?*", SYMLINK+="tidetable/$env{TIDETABLE_KIND}-$attr{serial}"',
        'ENV{ID_PATH}=="?*", SYMLINK+="tidetable/$env{TIDETABLE_KIND}-at-$env{ID_PATH}"',
        "",
        'LABEL="tidetable_end"',
        "",
    ]
    return "\n".join(lines)


def modprobe() -> str:
    """Keeps the kernel off readers that pcscd speaks to, also after the next start."""
    return "\n".join(
        [
            f"# {MARK}.",
            "# These modules take an ACR122U away from pcscd. Blacklisting alone stops udev; the",
            "# second line stops whoever loads one of them because another needs it.",
            *(f"blacklist {module}\ninstall {module} /bin/false" for module in MODULES),
            "",
        ]
    )


def polkit_rule() -> str:
    """Lets the service use readers: without it polkit allows that to who sits at the computer."""
    return "\n".join(
        [
            f"// {MARK}.",
            "polkit.addRule(function (action, subject) {",
            '    if ((action.id == "org.debian.pcsc-lite.access_pcsc" ||',
            '         action.id == "org.debian.pcsc-lite.access_card") &&',
            f'        subject.user == "{USER}") {{',
            "        return polkit.Result.YES;",
            "    }",
            "});",
            "",
        ]
    )


def command(data: Path, companion: Path = COMPANION) -> str:
    """The command `companion` for whoever is at the computer.

    Root works on the data as their own user, so that nothing in there becomes root's. The doctor
    looks at more than that user may see, and gives up root's rights itself where it has to.

    Args:
        data: the data folder.
        companion: the program's own command.
    """
    become = " ".join(BECOME)
    return "\n".join(
        [
            "#!/bin/sh",
            f"# {MARK}.",
            "# With sudo it works on the table's data as their own user; only the doctor stays root.",
            f"export TIDETABLE_DATA={data}",
            'case "$(id -u) ${1-}" in',
            f'    "0 doctor") exec {companion} "$@" ;;',
            f'    "0 "*) exec {become} {companion} "$@" ;;',
            "esac",
            f'exec {companion} "$@"',
            "",
        ]
    )


def sysusers() -> str:
    """The user, for a package; its script adds those of the groups that the computer has."""
    return (
        "# The user that Tidetable runs as.\n"
        f'u {USER} - "Tidetable, the companion of a table" {DATA} /usr/sbin/nologin\n'
    )
