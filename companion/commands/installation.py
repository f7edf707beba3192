"""`companion install`, `uninstall` and `addresses`: a computer that is the table's own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.common import Words, add_data_option, data_folder, nobody_reads, refuse

if TYPE_CHECKING:
    from companion.installing.choices import Choices
    from companion.installing.settings import Served
    from companion.installing.step import Plan
    from companion.installing.system import System


def add(words: Words) -> None:
    """Add these words."""
    install = words.add_parser(
        "install", help="put the service on this computer, to start with it (docs/install.md)"
    )
    install.add_argument("--dry-run", action="store_true", help="only say what would be done")
    install.add_argument(
        "--data", type=Path, metavar="DIR", help="the data folder; else /var/lib/tidetable"
    )
    install.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="of the pages, into table.toml; else what that says, or 80, or 8080 if 80 is taken",
    )
    install.add_argument(
        "--back", action="store_true", help="go back to the release before, without the network"
    )
    install.add_argument(
        "--kiosk",
        action=argparse.BooleanOptionalAction,
        help="show the table on a display at this computer (docs/kiosk.md)",
    )
    install.add_argument(
        "--access-point",
        action=argparse.BooleanOptionalAction,
        help="make the table a Wi-Fi of its own (docs/kiosk.md)",
    )
    install.add_argument("--wifi-name", metavar="NAME", help="of that Wi-Fi; else Tidetable")
    install.add_argument("--wifi-password", metavar="PASSWORD", help="else one is made")
    install.add_argument(
        "--wifi-country", metavar="XX", help="whose rules the radio keeps, such as NO"
    )
    install.set_defaults(run=_install)
    uninstall = words.add_parser("uninstall", help="undo `install`; the data stay")
    uninstall.add_argument("--dry-run", action="store_true", help="only say what would be done")
    uninstall.set_defaults(run=_uninstall)
    addresses = words.add_parser(
        "addresses", help="where the installed table is, how to join, to help and to act"
    )
    add_data_option(addresses)
    addresses.set_defaults(run=_addresses)


def _system(*, dry: bool) -> System:
    from companion.installing.system import System  # noqa: PLC0415

    def say(sentence: str) -> None:
        is_note = sentence.startswith("note: ")
        try:
            print(f"would {sentence}" if dry and not is_note else sentence, flush=True)
        except BrokenPipeError:
            nobody_reads()  # what is begun is done to its end all the same

    return System(say=say)


def _refused(system: System, word: str, *, dry: bool) -> str | None:
    """Why it cannot be done here at all."""
    import os  # noqa: PLC0415

    from companion.installing.files import USER  # noqa: PLC0415
    from companion.installing.packages import is_installed  # noqa: PLC0415
    from companion.installing.people import is_a_persons  # noqa: PLC0415

    if is_installed(system, "tidetable"):
        return (
            "Tidetable was installed as a package here, and apt keeps it: sudo apt-get remove "
            "tidetable removes it, and the data stay."
        )
    if word == "install" and is_a_persons(system):
        return (
            f"A user called {USER} can log in here, so the account is somebody's own, and the "
            "service needs that name for itself: give the account another name first, by usermod "
            "--login as another user."
        )
    if not dry and os.geteuid() != 0:
        return f"This needs the administrator's rights; type: sudo ./run {word}"
    return None


def _counted(steps: int) -> str:
    """The last line of a dry run."""
    return f"{steps} {'step' if steps == 1 else 'steps'}; nothing was done."


def _install(chosen: argparse.Namespace) -> int:
    from companion.installing.choices import choose, chosen_before  # noqa: PLC0415
    from companion.installing.plan import plan_of  # noqa: PLC0415
    from companion.installing.program import Program, source  # noqa: PLC0415

    dry = chosen.dry_run
    system = _system(dry=dry)
    if because := _refused(system, "install", dry=dry):
        return refuse(because)
    before = chosen_before(system)
    names = ("data", "kiosk", "access_point", "wifi_name", "wifi_country")
    choices = choose(system, {name: getattr(chosen, name) for name in names})
    if chosen.back:
        return _go_back(system, choices, dry=dry)
    plan = plan_of(system, choices, Program.of(source()), chosen.wifi_password, chosen.port)
    _warn(system, before, choices, plan)
    of_wifi = any((chosen.wifi_name, chosen.wifi_password, chosen.wifi_country))
    if of_wifi and not choices.access_point:
        system.say(
            "note: this table is no Wi-Fi of its own, so what is said of that Wi-Fi does nothing "
            "yet; it is one with --access-point"
        )
    changed = plan.install(system, dry=dry)
    if not changed:
        print("Nothing to do: everything is installed already, as it was chosen.")
    elif dry:
        print(_counted(changed))
        return 0
    _tell_where(system, choices)
    return 0


def _go_back(system: System, choices: Choices, *, dry: bool) -> int:
    from companion.installing.files import unit  # noqa: PLC0415
    from companion.installing.program import before  # noqa: PLC0415
    from companion.installing.running import Started  # noqa: PLC0415

    if dry:
        system.say(f"go back to {before(system) or 'nothing: no release before is kept here'}")
        return 0
    with system.alone():
        Started(unit(choices)).go_back(system)
    _tell_where(system, choices)
    return 0


def _warn(system: System, before: Choices | None, choices: Choices, plan: Plan) -> None:
    from companion.installing.files import COMPANION  # noqa: PLC0415
    from companion.installing.people import has_data  # noqa: PLC0415
    from companion.installing.settings import Served  # noqa: PLC0415
    from companion.installing.system_files import Written  # noqa: PLC0415

    for step in plan.steps:
        if isinstance(step, Served):
            _warn_of_place(system, step)
        if isinstance(step, Written) and step.is_of_others(system):
            system.say(
                f"note: {step.path} is there and of others, so it is left alone; what it would "
                f"be is {COMPANION}"
            )
    if before is not None and before.data != choices.data and has_data(system, before.data):
        system.say(
            f"note: the data in {before.data} stay there, and a new table begins in "
            f"{choices.data}, unless its data are there already"
        )


def _warn_of_place(system: System, served: Served) -> None:
    """Say what is otherwise than before, or in the way."""
    from companion.data_folder import SETTINGS  # noqa: PLC0415
    from companion.installing.settings import (  # noqa: PLC0415
        HOST,
        earlier_port,
        kept_port,
        listening,
        said,
    )

    file, earlier = served.data / SETTINGS, earlier_port(system)
    if system.hides(file):
        return
    port, told = served.port_of(system), said(system, served.data)
    if earlier is not None and port != earlier and served.port is None:
        system.say(
            f"note: {file} says port {port}, which counts from now on; until now the pages were "
            f"served on port {earlier}"
        )
    if earlier is not None and told.get("host", HOST) != HOST:
        system.say(
            f"note: {file} says host {told['host']}, which counts from now on; for phones type "
            f"then: sudo companion config set host={HOST}"
        )
    if port != kept_port(system) and port in listening(system):
        system.say(
            f"note: some program serves on port {port} already; stop it, or choose another port "
            "with --port"
        )


def _tell_where(system: System, choices: Choices) -> None:
    from companion.addresses import FILE  # noqa: PLC0415
    from companion.data_folder import SETTINGS  # noqa: PLC0415
    from companion.installing.settings import said  # noqa: PLC0415

    if system.hides(choices.data / SETTINGS):
        print("To see where the table is, type: sudo companion addresses")
        return
    told = said(system, choices.data)
    where = _address(str(told.get("host", "")), int(str(told.get("port", 80))))
    if not system.runs_systemd:
        print(
            f"systemd does not run here, so the service was not started; it starts with the "
            f"computer, and the table is at {where} then."
        )
        return
    print(system.read(choices.data / FILE), end="")
    print(f"The table is at {where} and starts with the computer.")


def _address(host: str, port: int) -> str:
    """The address of the pages, in the home network where there is one."""
    from companion.network import addresses  # noqa: PLC0415
    from companion.network.nearby import at  # noqa: PLC0415

    if host in addresses.ANYWHERE:
        found = addresses.best_first(addresses.own_addresses(), addresses.way_out())
        host = found[0].ip if found else "127.0.0.1"
    return f"{at(host, port)}/"


def _addresses(chosen: argparse.Namespace) -> int:
    from companion.addresses import kept  # noqa: PLC0415

    print(kept(data_folder(chosen)), end="")
    return 0


def _uninstall(chosen: argparse.Namespace) -> int:
    from companion.installing.choices import (  # noqa: PLC0415
        Choices,
        chosen_before,
        data_folders,
    )
    from companion.installing.files import USER  # noqa: PLC0415
    from companion.installing.people import has_data  # noqa: PLC0415
    from companion.installing.plan import plan_of  # noqa: PLC0415
    from companion.installing.program import Program  # noqa: PLC0415

    dry = chosen.dry_run
    system = _system(dry=dry)
    if because := _refused(system, "uninstall", dry=dry):
        return refuse(because)
    choices = chosen_before(system) or Choices()
    folders = data_folders(system, choices.data)
    changed = plan_of(system, choices, Program()).uninstall(system, dry=dry)
    if not changed:
        print("Nothing to do: Tidetable is not installed here.")
    elif dry:
        print(_counted(changed))
    if left := [str(folder) for folder in folders if has_data(system, folder)]:
        print(
            f"The data stay in {' and '.join(left)}, and with them the user {USER}, whose they "
            f"are. To remove both for good: sudo rm -r {' '.join(left)} && sudo userdel {USER}"
        )
    return 0
