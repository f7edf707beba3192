"""Games at a table without pages, and what would be told of them."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime

from companion.config import Config
from companion.match import Match
from companion.rules.api import Refusal
from companion.settings.live import LiveSettings
from companion.telling.public import events_between, state_of
from companion.telling.settings import Mqtt, Webhook
from companion.telling.teller import telling
from tests.support.tables import API, TWO, running

AT = "2026-01-01T00:00:00.000+00:00"


def snapshots(folder, setup, actions):
    """What the table publishes: the first snapshot, and one for each action."""
    with running(folder, setup) as table:
        yield table.snapshot
        for action in actions:
            answer = table.act(action, source=API)
            assert answer.code is None, answer.message
            yield answer.snapshot


def told(snapshots, *, names=True):
    """The states and the events of each snapshot, as they would be told."""
    before = None
    for now in snapshots:
        yield (
            state_of(now, names=names),
            events_between(before, now, time=AT, names=names),
        )
        before = now


def whole_game(setup, chance, most=400):
    """The actions of a game that chance plays to its end, or for long enough."""
    match = Match.start(setup)
    for _ in range(most):
        legal = match.game.legal(match.state)
        if not legal:
            break
        try:
            match = match.do(chance.choice(legal))
        except Refusal:
            continue
    return tuple(each.action for each in reversed(list(match.back())))


def kinds(events):
    return [event["event_type"] for event in events]


@contextmanager
def told_by(folder, mqtt=Mqtt(), webhook=Webhook(), setup=TWO):  # noqa: B008 - they never change
    """A table, and who tells by these settings what it publishes."""
    settings = LiveSettings(Config(mqtt=mqtt, webhook=webhook))
    with (
        running(folder, setup) as table,
        telling(table, lambda: datetime.now(UTC), settings) as teller,
    ):
        yield table, teller
        table.close()
