"""The command `companion`: one function for each of its words.

What a word needs is imported when it is asked for, so that each starts quickly.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from companion.errors import PlainError

if TYPE_CHECKING:
    from companion.journal import Journal

BAD_USAGE = 2
Words: TypeAlias = Any
"""What `add_subparsers` gives: argparse has no public name for it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 with one sentence that says why."""
    if sys.stdout is None:
        return refuse("Standard output is closed: there is nowhere to answer.")
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except PlainError as error:
        return refuse(str(error))
    except sqlite3.Error as error:
        return refuse(
            f"The record cannot be read or written ({error}): make room, mend the disk or give "
            "yourself the right to write; or choose another folder with --data."
        )
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has left. Python would try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return refuse(f"The output or a file cannot be written ({error.strerror}).")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion", description="Reads the table, referees the game and keeps the score."
    )
    words = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_run(words)
    _add_play(words)
    _add_score(words)
    _add_rules(words)
    _add_tags(words)
    _add_sim(words)
    _add_calibrate(words)
    _add_check_board(words)
    return parser


def _add_run(words: Words) -> None:
    run = words.add_parser("run", help="read the table and serve the scoreboard")
    run.add_argument("--config", type=Path, metavar="FILE", help="the same settings as TOML")
    run.add_argument("--game", help="such as tentacles")
    add_game_options(run)
    add_data_option(run)
    run.add_argument("--host", help="the address to serve on; 0.0.0.0 for the home network")
    run.add_argument("--port", type=int, help="0 for any free one")
    run.add_argument(
        "--reader",
        action="append",
        metavar="NAME",
        help="pn532:PORT, bridge:PORT, line:PORT, gpio:PIN (see README.md), "
        "pcsc: for every contactless reader, pcsc:TEXT for those with that text in their "
        "name, sim: for the virtual table; may be given again",
    )
    run.add_argument("--token", help="opens the table's link; else one is made and kept")
    run.add_argument("--new", action="store_true", help="begin another game")
    run.set_defaults(run=_run)


def _add_tags(words: Words) -> None:
    tags = words.add_parser("tags", help="which tag is on which card or token")
    verbs = tags.add_subparsers(metavar="VERB", required=True)
    verb = verbs.add_parser("import", help="enrol the tags of a CSV file: uid,component")
    verb.add_argument("file", type=Path)
    add_data_option(verb)
    verb.set_defaults(run=_tags_import)
    verb = verbs.add_parser("export", help="write all tags as CSV, to a file or standard output")
    verb.add_argument("file", type=Path, nargs="?")
    add_data_option(verb)
    verb.set_defaults(run=_tags_export)
    verb = verbs.add_parser("list", help="show all tags")
    add_data_option(verb)
    verb.set_defaults(run=_tags_list)
    verb = verbs.add_parser("remove", help="forget a tag")
    verb.add_argument("uid")
    add_data_option(verb)
    verb.set_defaults(run=_tags_remove)


def _add_sim(words: Words) -> None:
    from hardware_sim import pn532_program, vicc  # noqa: PLC0415
    from hardware_sim.board import program as board_program  # noqa: PLC0415

    sim = words.add_parser("sim", help="simulated hardware for real interfaces")
    kinds = sim.add_subparsers(metavar="KIND", required=True)
    card = kinds.add_parser("vicc", help="lay a virtual NFC tag on a virtual reader of pcscd")
    vicc.add_arguments(card)
    card.set_defaults(run=vicc.run)
    chip = kinds.add_parser("pn532", help="a PN532 reader chip on a serial line, with tags")
    pn532_program.add_arguments(chip)
    chip.set_defaults(run=pn532_program.run)
    board = kinds.add_parser("board", help="a board with the real firmware, on a serial line")
    board_program.add_arguments(board)
    board.set_defaults(run=board_program.run)


def _add_calibrate(words: Words) -> None:
    calibrate = words.add_parser("calibrate", help="teach the table what a sensor feels")
    things = calibrate.add_subparsers(metavar="THING", required=True)
    ship = things.add_parser("ship", help="how the ship's sensor feels upright, by two poses")
    ship.add_argument("--reader", metavar="NAME", help="such as gpio:17; else those of the file")
    ship.add_argument("--config", type=Path, metavar="FILE", help="the settings as TOML")
    ship.set_defaults(run=_calibrate_ship)


def _add_check_board(words: Words) -> None:
    check = words.add_parser("check-board", help="a self-test of one reader, board or pin")
    check.add_argument("name", metavar="NAME", help="such as bridge:/dev/ttyACM0 or gpio:17")
    check.add_argument("--show-uids", action="store_true", help="show the tags' UIDs in full")
    check.set_defaults(run=_check_board)


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Where the record is."""
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder of the record")


def _add_play(words: Words) -> None:
    play = words.add_parser("play", help="play a game over lines of JSON (docs/play-protocol.md)")
    play.add_argument("game", nargs="?", help="such as tentacles; else the first line is new")
    add_game_options(play)
    play.add_argument("--deal", action="store_true", help="the program deals the cards")
    play.add_argument("--seed", type=int, help="the same seed and commands give the same game")
    play.set_defaults(run=_play)


def _add_score(words: Words) -> None:
    score = words.add_parser("score", help="what cards are worth (docs/play-protocol.md)")
    score.add_argument("game", help="such as sea-salt-paper")
    score.set_defaults(run=_score)


def _add_rules(words: Words) -> None:
    rules = words.add_parser("rules", help="the rules of a game in short")
    rules.add_argument("game", nargs="?", help="such as tentacles; else all games are listed")
    rules.set_defaults(run=_rules)


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """The options that say how a game begins."""
    parser.add_argument("--players", metavar="NAMES", help="in seating order, such as Ann,Bo")
    parser.add_argument("--starter", metavar="NAME", help="who begins; else the first player")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="an option of the game"
    )


def options_from(pairs: Sequence[str]) -> dict[str, object]:
    """`["octopus=4", "steal=forced"]` as `{"octopus": 4, "steal": "forced"}`.

    Raises:
        ValueError: one sentence that says which is wrong.
    """
    from companion.codec import once  # noqa: PLC0415

    options: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"--set takes KEY=VALUE, such as octopus=4, and not {pair!r}.")
        if name in options:
            raise ValueError(f"--set names {name} twice: say it once.")
        try:
            options[name] = json.loads(text, object_pairs_hook=once)
        except (ValueError, RecursionError):
            options[name] = text
    return options


def _run(chosen: argparse.Namespace) -> int:
    import logging  # noqa: PLC0415

    from companion.config import Config, read_toml  # noqa: PLC0415
    from companion.service import run  # noqa: PLC0415

    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    try:
        settings = read_toml(chosen.config) if chosen.config else {}
        named = {
            "game": chosen.game,
            "players": chosen.players and tuple(names_from(chosen.players)),
            "starter": chosen.starter and chosen.starter.strip(),
            "data": chosen.data,
            "host": chosen.host,
            "port": chosen.port,
            "readers": chosen.reader and tuple(chosen.reader),
            "token": chosen.token,
        }
        settings |= {key: value for key, value in named.items() if value is not None}
        settings["set"] = {**settings.get("set", {}), **options_from(chosen.set)}
        run(Config(**settings, new=chosen.new))
    except ValueError as error:
        return refuse(str(error))
    return 0


@contextmanager
def _journal(chosen: argparse.Namespace) -> Iterator[Journal]:
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.config import default_data_folder  # noqa: PLC0415
    from companion.data_folder import JOURNAL, usable  # noqa: PLC0415
    from companion.journal import Journal  # noqa: PLC0415

    folder = usable(chosen.data or default_data_folder())
    journal = Journal(folder / JOURNAL, machine_clocks())
    try:
        yield journal
    finally:
        journal.close()


def _tags_import(chosen: argparse.Namespace) -> int:
    from companion.tags import read_csv  # noqa: PLC0415

    try:
        data = chosen.file.read_bytes()
    except OSError as error:
        return refuse(f"The file {chosen.file} cannot be read ({error.strerror}).")
    with _journal(chosen) as journal:
        found = read_csv(data, journal.tags())
        journal.enrol(dict(found.tags))
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)
    print(f"{len(found.tags)} tags imported.")
    return 0


def _tags_export(chosen: argparse.Namespace) -> int:
    from companion.tags import write_csv  # noqa: PLC0415

    with _journal(chosen) as journal:
        text = write_csv(journal.tags())
    if chosen.file is None:
        sys.stdout.write(text)
        return 0
    try:
        chosen.file.write_text(text, encoding="utf-8")
    except OSError as error:
        return refuse(f"The file {chosen.file} cannot be written ({error.strerror}).")
    return 0


def _tags_list(chosen: argparse.Namespace) -> int:
    with _journal(chosen) as journal:
        tags = journal.tags()
    for uid, component in tags.items():
        print(f"{uid:<20}  {component}")
    print(
        f"{len(tags)} tags." if tags else "No tags yet: companion tags import FILE.csv adds some."
    )
    return 0


def _tags_remove(chosen: argparse.Namespace) -> int:
    from companion.uid import UidError, parse  # noqa: PLC0415

    try:
        uid = parse(chosen.uid)
    except UidError as error:
        return refuse(str(error))
    with _journal(chosen) as journal:
        if not journal.forget_tag(uid):
            return refuse(f"The tag {uid} is not enrolled: companion tags list shows which are.")
    print(f"{uid} removed.")
    return 0


def _play(chosen: argparse.Namespace) -> int:
    from companion.play import Player, play, standard_input, write  # noqa: PLC0415
    from companion.rules.api import Refusal  # noqa: PLC0415

    player = Player(warn=sys.stderr)
    out = sys.stdout.buffer
    if chosen.game is None:
        if chosen.players or chosen.starter or chosen.set or chosen.deal or chosen.seed is not None:
            return refuse(
                "Name the game to play, such as: companion play tentacles --players Ann,Bo"
            )
        play(standard_input(), out, player)
        return 0
    if not chosen.players:
        return refuse("Name who plays, such as: --players Ann,Bo")
    given: dict[str, object] = {"starter": chosen.starter, "seed": chosen.seed}
    try:
        opening = player.new(
            {
                "game": chosen.game,
                "players": names_from(chosen.players),
                "set": options_from(chosen.set),
                "deal": chosen.deal,
                **{key: value for key, value in given.items() if value is not None},
            }
        )
    except (ValueError, Refusal) as error:
        return refuse(str(error))
    write(out, opening)
    play(standard_input(), out, player)
    return 0


def _calibrate_ship(chosen: argparse.Namespace) -> int:
    from companion.calibration import calibrate, press_enter  # noqa: PLC0415
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.config import read_toml  # noqa: PLC0415
    from companion.drivers.api import DriverError  # noqa: PLC0415
    from companion.drivers.registry import make  # noqa: PLC0415
    from companion.ship import Thresholds  # noqa: PLC0415

    settings = read_toml(chosen.config) if chosen.config else {}
    names = (chosen.reader,) if chosen.reader else settings.get("readers", ())
    if not names:
        return refuse("Name the ship's sensor, such as: companion calibrate ship --reader gpio:17")
    clock = machine_clocks().monotonic_ns
    thresholds = settings.get("ship", Thresholds())
    try:
        drivers = [make(name) for name in names]
        calibrate(drivers, clock, thresholds, press_enter, sys.stdout)
    except DriverError as error:
        return refuse(str(error))
    return 0


def _check_board(chosen: argparse.Namespace) -> int:
    import logging  # noqa: PLC0415

    from companion.check_board import check_board, notes_only, typed_lines  # noqa: PLC0415
    from companion.clocks import machine_clocks  # noqa: PLC0415
    from companion.drivers.api import DriverError  # noqa: PLC0415
    from companion.drivers.registry import make  # noqa: PLC0415

    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(notes_only)
    logging.basicConfig(format="note: %(message)s", level=logging.WARNING, handlers=[handler])
    clock = machine_clocks().monotonic_ns
    try:
        driver = make(chosen.name)
        findings = check_board(
            driver, chosen.name, clock, typed_lines(), sys.stdout, show_uids=chosen.show_uids
        )
    except DriverError as error:
        return refuse(str(error))
    return int(any(finding.state == "fails" for finding in findings))


def _score(chosen: argparse.Namespace) -> int:
    from companion.score import SCORERS, score, standard_input  # noqa: PLC0415

    answer = SCORERS.get(chosen.game)
    if answer is None:
        return refuse(
            f"There is nothing to score in {chosen.game!r}: there is in {', '.join(SCORERS)}."
        )
    score(answer, standard_input(), sys.stdout.buffer)
    return 0


def _rules(chosen: argparse.Namespace) -> int:
    from companion.rules import GAMES, game_named  # noqa: PLC0415
    from companion.rules.api import Refusal  # noqa: PLC0415

    if chosen.game is None:
        for game in GAMES.values():
            print(f"{game.name:<16}  {game.seats[0]} to {game.seats[-1]} players")
        return 0
    try:
        print(game_named(chosen.game).in_short.strip())
    except Refusal as refusal:
        return refuse(str(refusal))
    return 0


def names_from(text: str) -> list[str]:
    """`"Ann, Bo"` as `["Ann", "Bo"]`.

    Raises:
        ValueError: not UTF-8, as the terminal gave it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("--players is not UTF-8 text: type the names in UTF-8.") from None
    return [name.strip() for name in text.split(",")]


def refuse(sentence: str) -> int:
    """Say on standard error why the command cannot be done; the exit status."""
    print(f"companion: {sentence}", file=sys.stderr)
    return BAD_USAGE


if __name__ == "__main__":
    sys.exit(main())
