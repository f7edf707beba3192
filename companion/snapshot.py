"""What the table publishes after each change: all that a page may need, immutable.

Pages and streams read the newest snapshot and nothing else. So there is nothing in it that
not everybody may see: the table leaves out what `Game.secret` names, and a game keeps its
secrets out of outcomes, refusals, standing, pieces and the spectator's view.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from companion.enrolling.session import Enrolment
from companion.match import Match
from companion.rules.api import Action, Code, Json, Outcome, Pieces, Standing
from companion.ship import Phase

ErrorCode = Code | Literal["stale", "storage", "closed"]
"""The play protocol's codes and three of the table's own: the view that the action was
based on is out of date; the disk does not take the action; the service is ending."""


EventKind = Literal[
    "started", "resumed", "action", "undo", "corrected", "taken", "refused", "notice"
]


@dataclass(frozen=True, slots=True)
class Source:
    """Where something came from.

    Attributes:
        kind: a reader, a page with touch buttons, a program through the HTTP API, or the
            service itself.
        name: of the reader, or of the player on whose phone it was; empty for the others.
        sense: what of the reader it was; the record does not keep it.
    """

    kind: Literal["reader", "page", "api", "service"]
    name: str = ""
    sense: Literal["tag", "button", "ship"] = "tag"


@dataclass(frozen=True, slots=True)
class ReaderStatus:
    """One reader as people should see it.

    Attributes:
        name: stable while the service runs, such as `pcsc-1`.
        ready: whether it answers.
        hardware: what the reader calls itself; empty while it has never answered.
        trouble: one sentence that says what is wrong and what to do; empty when ready.
    """

    name: str
    ready: bool
    hardware: str
    trouble: str


@dataclass(frozen=True, slots=True)
class ShipStatus:
    """The ship while it is judged, and until it has been stood up again.

    Attributes:
        phase: of its judge (`companion.ship.Judge`), or `unwatched` where no sensor was heard:
            then, and while it is `asking`, people say how the ship stands.
        angle: how far it leaned from upright when this was published, in degrees; None when
            nothing was felt.
        reason: why people are asked, or what is waited for before the ball may swing: one
            sentence, or empty.
        alarm: an alarm runs; else it is over, and the ship is still to be stood up.
    """

    phase: Phase | Literal["unwatched"]
    angle: int | None
    reason: str
    alarm: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question.

    Attributes:
        key: short and lasting, such as `sail-1`.
        label: what people read, in English.
    """

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """Something that the table cannot know and asks. Everybody sees it.

    Attributes:
        key: names it while it is open, such as `sailed` or `away/pcsc-2/1`.
        text: one plain sentence.
        choices: at least one.
        who: the player concerned; None for whoever is at the table.
        blocking: nothing else counts until it is answered.
    """

    key: str
    text: str
    choices: tuple[Choice, ...]
    who: str | None = None
    blocking: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """The last thing that happened, and why.

    Attributes:
        number: counts up with each event of this run of the service.
        kind: `started` (a new game), `resumed` (a game goes on after a start),
            `action`, `undo`, `corrected` (the past was set right), `taken` (a tap or an
            answer that needs or leaves something more), `refused` (nothing changed),
            `notice` (nothing changed).
        player: who was in turn when it came; None when nobody was.
        action: what was done or refused; None for the other kinds, and for an action that
            names what not everybody may see.
        count: how many actions an undo took back; 0 for the other kinds.
        outcomes: what an action brought about.
        source: where it came from.
        code: why it was refused (`ErrorCode`), or which notice: `unknown-tag`,
            `several-tags`, `unreadable-tag`, `lay-there` (at the start), `before-game` (laid
            before it began), `no-meaning` (a known tag that means nothing now), `two-places`
            (one tag), `ship-unsure` (people are asked);
            empty for the other kinds.
        message: the refusal's or notice's sentence in English; empty for the other kinds.
    """

    number: int
    kind: EventKind
    player: str | None
    action: Action | None
    count: int
    outcomes: tuple[Outcome, ...]
    source: Source
    code: str
    message: str


def plain_event(kind: EventKind, source: Source, player: str | None) -> Event:
    """An event of which nothing more is to be told; its number comes when it is published."""
    return Event(0, kind, player, None, 0, (), source, "", "")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole table at one moment.

    Attributes:
        epoch: names this run of the service; another epoch may have another past.
        revision: grows with every change of anything here, also across restarts.
        table: the table's id (UUID), made once.
        game: the id of the game (UUID).
        game_name: which game, as the play protocol spells it.
        players: names in seating order.
        options: what the table chose, as given.
        step: the number of actions in force.
        standing: turn, phase, scores, end.
        state: what a spectator may see.
        pieces: how many cards, tiles or chips there are, and how many lie face up.
        legal: what the player in turn may do, without the choices that would name what not
            everybody may see.
        readers: in the order in which they were named.
        event: the last thing that happened.
        ship: how it is judged; None while it does not matter.
        questions: what the table cannot know and asks, oldest first.
        waiting: what was tapped and waits for more, as a sentence; or empty.
        enrolment: while tags are put on things: then the readers are not for the game.
    """

    epoch: str
    revision: int
    table: str
    game: str
    game_name: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    step: int
    standing: Standing
    state: Json
    pieces: Pieces
    legal: tuple[Action, ...]
    readers: tuple[ReaderStatus, ...]
    event: Event
    ship: ShipStatus | None = None
    questions: tuple[Question, ...] = ()
    waiting: str = ""
    enrolment: Enrolment | None = None

    @property
    def alarm(self) -> bool:
        """Whether hands are to be kept off the ship now."""
        return self.ship is not None and self.ship.alarm


@dataclass(frozen=True, slots=True)
class Seen:
    """What one player sees, beside what everybody may know.

    Attributes:
        player: whose eyes.
        state: what this player may see of the state.
        legal: all that this player may do now, also what only this player may know of; ()
            while somebody else is to act.
        held: the cards that this player has tapped and that wait for more.
    """

    player: str
    state: Json
    legal: tuple[Action, ...]
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A snapshot and the match that it was made from, for those who may see more of it.

    The match is everybody's secret: what leaves the service is the snapshot, and what a
    player may see goes to that player alone.

    Attributes:
        snapshot: what everybody may know.
    """

    snapshot: Snapshot
    _match: Match
    _held: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def seen_by(self, player: str) -> Seen:
        """What this player, one of the game, may see."""
        match = self._match
        legal = match.game.legal(match.state) if self.may_act(player) else ()
        held = self._held.get(player, ())
        return Seen(player, match.game.view(match.state, player), legal, held)

    def may_act(self, player: str) -> bool:
        """Whether this player is one of those who are to act now."""
        return self._match.game.may_act(self._match.state, player)

    @property
    def odds(self) -> Json | None:
        """What is known about the next card or tile by the player in turn, and by nobody else."""
        return self._match.game.odds(self._match.state)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request to the table. Every request is answered.

    Attributes:
        snapshot: the newest one after the request.
        outcomes: what the action brought about; () for an undo and a refusal.
        code: None when it was accepted, else why not.
        message: the refusal's sentence; empty when it was accepted.
        repeated: the request had been carried out before and was not done again.
    """

    snapshot: Snapshot
    outcomes: tuple[Outcome, ...]
    code: ErrorCode | None
    message: str
    repeated: bool
