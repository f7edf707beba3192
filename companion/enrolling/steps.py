"""The steps of enrolment: each gives the next session and what changes in the table of tags."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion import uid as uids
from companion.enrolling.acts import (
    Act,
    Allow,
    Bring,
    Check,
    Choose,
    Counted,
    LayOn,
    Mode,
    MoveHere,
    Recount,
    SetColour,
    SetMode,
    Skip,
    TakeOff,
    Undo,
)
from companion.enrolling.places import Place, places_of
from companion.enrolling.session import (
    Changes,
    Counting,
    Done,
    Held,
    Session,
    Told,
    ToldKind,
    mark_of,
)
from companion.rules.api import Refusal
from companion.said import Thing, say

UNDOABLE = 100
"""So many steps can be taken back."""
CHECKED = 5
"""So many things are named for a proof."""

Step = tuple[Session, Changes]


def begun(game: str, tags: Changes, mode: Mode) -> Session:
    """A new session.

    Raises:
        Refusal: `bad-option`, there is no such game.
    """
    places_of(game)
    session = _with(Session(game, {}, mode), tags)
    return replace(session, next=session.first_open() if mode == "guided" else None)


# A tag is laid


def laid(session: Session, uid: str, reader: str = "", at_ns: int = 0) -> Step:
    """A tag was laid on a reader."""
    if uids.is_random(uid):
        return trouble(
            session,
            say(
                "This tag makes up a new UID at each tap and cannot be used: "
                "put another sticker on it."
            ),
            reader,
        )
    if uids.looks_cut(uid) and uid not in session.tags:
        told = Told("cut", session.next, mark=mark_of(uid))
        return _tell(session, told, Held(uid, "cut", reader, at_ns))
    return _laid(session, Held(uid, "elsewhere", reader, at_ns))


def _laid(session: Session, held: Held) -> Step:
    uid, counting = held.uid, session.counting
    known = session.tags.get(uid)
    mark = mark_of(uid)
    if session.stage == "check":
        if known is not None:
            named = session.named | {uid}
            complete = len(named) == CHECKED and uid not in session.named
            return _tell(
                session, Told("named", known, mark=mark, complete=complete), held, named=named
            )
    elif counting is not None and known in (None, counting.component):
        if uid not in counting.laid:
            return _recounted(session, counting, held)
    elif known is None and session.next is not None:
        return _put(session, held, session.next, "enrolled")
    if known is not None:
        return _tell(session, Told("already", known, mark=mark), held)
    return _tell(session, Told("unnamed", mark=mark), replace(held, why="unnamed"))


def together(session: Session, reader: str, since_ns: int) -> Step:
    """Several tags lie on the reader: what was read of them since then does not count."""
    changes: dict[str, str | None] = {}
    while session.done and session.done[-1].reader == reader:
        if session.done[-1].at_ns < since_ns:
            break
        session, undone = _undo(session)
        changes.update(undone)
    sentence = say("More than one card lies on the reader: one card at a time.")
    return trouble(session, sentence, reader)[0], changes


def trouble(session: Session, sentence: str, reader: str = "") -> Step:
    """Something was laid down that cannot be used, or the disk does not take it."""
    return _tell(session, Told("trouble", sentence=sentence, reader=reader))


# People want something


def done(session: Session, act: Act) -> Step:
    """What people ask for, but for `Begin` and `End`.

    Raises:
        Refusal: it cannot be now.
    """
    match act:
        case Choose(component):
            return _choose(session, _place(session, component))
        case MoveHere() | TakeOff() | Allow():
            return _handled(session, act)
        case Undo():
            return _undo(session)
        case Recount(component):
            return _recount(session, _place(session, component))
        case Counted():
            return _counted(session)
        case Bring(tags):
            return _change(session, Told("brought", count=len(tags)), tags)
        case SetMode(mode):
            asked = (session.next or session.first_open()) if mode == "guided" else None
            return replace(session, mode=mode, next=asked, counting=None), {}
        case SetColour(colour):
            return replace(session, colour=colour), {}
        case Skip():
            asked = session.first_open(session.next, others=True)
            return _tell(session, Told("chosen", asked), next=asked, counting=None)
        case Check():
            return _tell(session, Told("chosen"), stage="check", named=frozenset(), counting=None)
        case LayOn():
            asked = session.next or (session.first_open() if session.mode == "guided" else None)
            return _tell(session, Told("chosen", asked), stage="lay", next=asked)
    raise TypeError(act)


def _place(session: Session, component: str) -> Place:
    place = places_of(session.game).get(component)
    if place is None:
        raise Refusal(
            "unknown-card", say("There is no %(thing)s in this game.", thing=Thing(component))
        )
    return place


def _choose(session: Session, place: Place) -> Step:
    held, component = session.held, place.component
    if held is None or held.why == "cut":
        return _tell(session, Told("chosen", component), next=component, counting=None)
    was = session.tags.get(held.uid)
    if was == component:
        return _tell(session, Told("already", was, mark=mark_of(held.uid)), held)
    return _put(session, held, component, "enrolled" if was is None else "moved")


def _handled(session: Session, act: MoveHere | TakeOff | Allow) -> Step:
    """Something is to become of the tag in hand."""
    held = session.held
    if held is None or (held.why == "cut") != isinstance(act, Allow):
        raise Refusal("not-legal", say("Lay the card on the reader first."))
    match act:
        case Allow():
            return _laid(session, replace(held, why="elsewhere"))
        case TakeOff():
            told = Told("taken-off", session.tags.get(held.uid), mark=mark_of(held.uid))
            return _change(session, told, {held.uid: None})
    if session.next is None:
        raise Refusal("not-legal", say("Choose first where it belongs."))
    return _put(session, held, session.next, "moved")


# Something of a kind was lost


def _recount(session: Session, place: Place) -> Step:
    component = place.component
    wanted = place.wanted if place.exact else max(1, session.counts[component])
    return _tell(
        session,
        Told("chosen", component),
        counting=Counting(component, wanted),
        next=component,
        stage="lay",
    )


def _recounted(session: Session, counting: Counting, held: Held) -> Step:
    counting = replace(counting, laid=counting.laid | {held.uid})
    if len(counting.laid) == counting.wanted:
        return _counted(replace(session, counting=counting), held)
    told = Told("counted", counting.component, mark=mark_of(held.uid))
    return _change(session, told, {held.uid: counting.component}, held, counting=counting)


def _counted(session: Session, held: Held | None = None) -> Step:
    counting = session.counting
    if counting is None or not counting.laid:
        raise Refusal("not-legal", say("Lay down first what there is of it."))
    component = counting.component
    there = [uid for uid, on in session.tags.items() if on == component]
    changes = {**dict.fromkeys(there), **dict.fromkeys(counting.laid, component)}
    told = Told("replaced", component, mark=mark_of(held.uid) if held else "")
    return _change(session, told, changes, held, after=component, counting=None)


# What changes the table of tags


def _put(session: Session, held: Held, component: str, kind: ToldKind) -> Step:
    told = Told(kind, component, session.tags.get(held.uid), mark_of(held.uid))
    after = None if session.stage == "check" else component
    return _change(session, told, {held.uid: component}, held, after=after)


def _change(
    session: Session,
    told: Told,
    changes: Changes,
    held: Held | None = None,
    *,
    after: str | None = None,
    **more: Any,  # noqa: ANN401 - fields of a session
) -> Step:
    """The table of tags changes.

    Args:
        session: before it.
        told: what is told of it.
        changes: of the table; those that are none are left out.
        held: the tag that was read for it.
        after: what has got its tag, so that something else is asked for; None leaves it.
        more: what else changes in the session.
    """
    changes = {uid: on for uid, on in changes.items() if session.tags.get(uid) != on}
    past = session.done
    if changes:
        steps = tuple((uid, session.tags.get(uid), on) for uid, on in changes.items())
        whence = (held.reader, held.at_ns) if held else ("", 0)
        past = (*past, Done(steps, session.next, *whence))[-UNDOABLE:]
    then = _with(session, changes)
    if after is not None:
        more["next"] = then.first_open(after) if session.mode == "guided" else None
    place = places_of(session.game).get(told.component or "")
    if place is not None and told.kind != "taken-off":
        twice = place.exact and then.counts[place.component] > place.wanted
        complete = session.is_open(place.part) and not then.is_open(place.part)
        told = replace(told, twice=twice, complete=complete)
    told = replace(told, reader=held.reader if held else "")
    return _tell(then, told, done=past, **more)[0], changes


def _undo(session: Session) -> Step:
    if not session.done:
        raise Refusal("not-legal", say("There is nothing to take back."))
    *earlier, last = session.done
    # What was changed elsewhere since then stays as it is.
    changes = {uid: was for uid, was, on in last.changes if session.tags.get(uid) == on}
    uid, was, on = last.changes[0]
    told = Told("undone", on or was, mark=mark_of(uid) if len(last.changes) == 1 else "")
    counting = session.counting
    if counting is not None:
        counting = replace(counting, laid=counting.laid - changes.keys())
    then = _with(session, changes)
    return _tell(then, told, done=tuple(earlier), next=last.next, counting=counting)[0], changes


def _with(session: Session, changes: Changes) -> Session:
    merged = {**session.tags, **changes}
    return replace(session, tags={uid: on for uid, on in merged.items() if on is not None})


def _tell(
    session: Session,
    told: Told,
    held: Held | None = None,
    **more: Any,  # noqa: ANN401 - fields of a session
) -> Step:
    """Something is told; the tag in hand is this one from now on, or none."""
    if held is not None:
        told = replace(told, reader=held.reader)
    return replace(session, told=told, number=session.number + 1, held=held, **more), {}
