"""Games of the past as JSON and CSV; docs/history.md says what is in them.

Programs read English, so hidden players are `Player 1`, `Player 2` … in every language.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from companion.chronicle import Played, Summary, Turn, player_of, turns
from companion.repair.history import history_to_json
from companion.repair.public import public_action
from companion.rules import GAMES

FORMAT = 1
GAMES_HEAD = (
    *("number", "id", "game", "state", "began", "length_s", "actions", "turns", "corrections"),
    *("players", "player", "seat", "score", "won"),
)
"""Of the table of all games: a row for each player of each game."""
COURSE_HEAD = ("step", "entry", "turn", "began", "seconds", "player", "do", "action", "corrected")
"""Of the table of one game, before the players' scores: a row for each action in force."""
MINUTE_S = 60
_PLAYS = UUID("9d3c2f0e-6f0b-5d3a-9c56-2f5d1f1e7a10")
"""Ids of players and kinds of games are derived from it, so that they stay the same."""


def game_to_json(game: Summary) -> dict[str, Any]:
    """A game in short."""
    return {
        "id": game.id,
        "number": game.number,
        "game": game.game,
        "state": game.state,
        "began": game.began or None,
        "length_s": game.length_s,
        "players": list(game.players),
        "options": dict(game.options),
        "scores": dict(game.scores),
        "winners": list(game.winners),
        "actions": game.actions,
        "turns": game.turns,
        "corrections": game.corrections,
        "tallies": {what: dict(counts) for what, counts in game.tallies.items()},
        "trouble": game.trouble or None,
    }


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """The score after a turn."""
    return {"step": turn.step, "player": turn.player, "scores": dict(turn.scores)}


def course_to_json(played: Played) -> dict[str, Any]:
    """A game with its whole course, as everybody at the table saw it."""
    return {
        "tidetable_history": FORMAT,
        **game_to_json(played.summary),
        "course": [turn_to_json(turn) for turn in turns(played.matches)],
        "history": history_to_json(played.history),
        "times": [_time(played, entry) for entry in sorted(played.times)],
    }


def _time(played: Played, entry: int) -> dict[str, Any]:
    return {
        "entry": entry,
        "at": played.times[entry].known or None,
        "seconds": _seconds(played, entry),
    }


def _seconds(played: Played, entry: int) -> float | None:
    """Since the first action; None where the machine was started anew in between."""
    first, when = played.times[min(played.times)], played.times[entry]
    if first.boot != when.boot:
        return None
    return round((when.monotonic_ns - first.monotonic_ns) / 1e9, 1)


def all_to_json(games: Iterable[Summary]) -> Iterator[str]:
    """All games in short, as one object, a game a line."""
    yield f'{{"tidetable_history": {FORMAT}, "games": ['
    for number, game in enumerate(games):
        text = json.dumps(game_to_json(game), ensure_ascii=False)
        yield f"{',' if number else ''}\n{text}"
    yield "\n]}\n"


def all_to_csv(games: Iterable[Summary]) -> Iterator[str]:
    """All games, a row for each player."""
    yield _row(GAMES_HEAD)
    for game in games:
        for seat, player in enumerate(game.players or ("",), 1):
            yield _row(
                (
                    *(game.number, game.id, game.game, game.state, game.began, game.length_s),
                    *(game.actions, game.turns, game.corrections, len(game.players)),
                    *(player, seat, game.scores.get(player, ""), int(player in game.winners)),
                )
            )


def course_to_csv(played: Played) -> Iterator[str]:
    """One game, a row for each action in force, with the scores after it."""
    players = played.summary.players
    yield _row((*COURSE_HEAD, *players))
    matches = played.matches
    now, game = matches[-1], matches[-1].game
    corrected = {link.label: link.entry for link in played.history.timeline.links}
    turn, before = 1, game.standing(matches[0].state).turn
    for match, link in zip(matches[1:], played.history.timeline.links, strict=True):
        entry = played.entry_of(match.step)
        standing = game.standing(match.state)
        body = _public(played, now, match.step)
        seconds = _seconds(played, entry)
        yield _row(
            (
                *(match.step, link.label, turn, played.times[entry].known),
                *("" if seconds is None else seconds, player_of(match) or ""),
                *(body.pop("do"), json.dumps(body, ensure_ascii=False) if body else ""),
                int(str(corrected[link.label]) != link.label),
                *(standing.scores.get(player, 0) for player in players),
            )
        )
        turn += standing.turn != before
        before = standing.turn


def _public(played: Played, now: Any, step: int) -> dict[str, Any]:  # noqa: ANN401 - a Match
    match = played.matches[step]
    if match.action is None or match.before is None:
        raise ValueError("nothing was done in this step")
    return public_action(now, match.before, match.action)


def _row(cells: Iterable[object]) -> str:
    """A line of CSV (RFC 4180); what a spreadsheet would take for a formula is none."""
    line = io.StringIO()
    csv.writer(line).writerow([_harmless(cell) for cell in cells])
    return line.getvalue()


def _harmless(cell: object) -> object:
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{cell}"
    return cell


def plays_to_json(games: Iterable[Summary]) -> dict[str, Any]:
    """Finished games as logs of plays take them in: games, players and plays, by their numbers.

    A play needs a day, so a game whose day is not known is left out.
    """
    kinds: dict[str, int] = {}
    people: dict[str, int] = {}
    plays = []
    for game in games:
        if game.state != "over" or not game.began:
            continue
        for player in game.players:
            people.setdefault(player, len(people) + 1)
        kinds.setdefault(game.game, len(kinds) + 1)
        plays.append(_play(game, kinds, people))
    return {
        "games": [
            {
                "id": number,
                "uuid": str(uuid5(_PLAYS, f"game/{name}")),
                "name": name,
                "highestWins": True,
                "minPlayerCount": GAMES[name].seats[0] if name in GAMES else None,
                "maxPlayerCount": GAMES[name].seats[-1] if name in GAMES else None,
            }
            for name, number in kinds.items()
        ],
        "players": [
            {"id": number, "uuid": str(uuid5(_PLAYS, f"player/{name}")), "name": name}
            for name, number in people.items()
        ],
        "locations": [],
        "plays": plays,
    }


def _play(game: Summary, kinds: Mapping[str, int], people: Mapping[str, int]) -> dict[str, Any]:
    ordered = sorted(game.players, key=lambda name: (name not in game.winners, -game.scores[name]))
    return {
        "uuid": game.id,
        "playDate": f"{_local(game.began):%Y-%m-%d %H:%M:%S}",
        "durationMin": round(game.length_s / MINUTE_S),
        "gameRefId": kinds[game.game],
        "rounds": game.turns,
        "usesTeams": False,
        "manualWinner": True,
        "playerScores": [
            {
                "playerRefId": people[name],
                "score": str(game.scores[name]),
                "winner": name in game.winners,
                "rank": ordered.index(name) + 1,
                "seatOrder": seat,
            }
            for seat, name in enumerate(game.players, 1)
        ],
    }


def _local(began: str) -> datetime:
    """By the clock of the table's place, as people would write it down."""
    return datetime.fromisoformat(began).astimezone()
