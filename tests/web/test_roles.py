"""Who may call what: every route for every kind of device, also from elsewhere and forged."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from evening import TOKEN
from test_joining import Door

from web_ui.access import Role, TableLink
from web_ui.roles import CORRECTING, ROLES

ELSEWHERE = {"Origin": "http://evil.example"}
OPEN = frozenset({"pages.language", "joining.sit", "joining.become_helper"})
"""Endpoints that take forms of strangers: no key, but none from another site either."""
VALUES = {
    "token": "wrong",
    "label": "1",
    "number": "1",
    "what": "unknown",
    "digest": "0",
    "name": "x",
}
"""What stands in the place of a route's arguments; `1` for others."""


@dataclass
class Sender:
    """A device or program, and what it may be."""

    client: object
    role: Role
    headers: dict[str, str]
    key: str = ""


def cookie_of(door, device):
    return f"{device}.{door.link._of_device(device)}"


def senders(door):
    """Each kind of sender by name, made when it is asked for."""
    link, app = door.link, door.app

    def bare(role=Role.VIEWER, key="", cookies=(), **headers):
        client = app.test_client()
        for name, value in cookies:
            client.set_cookie(name, value)
        return Sender(client, role, headers, key)

    seat = link.new_device()
    door.household.sit(seat, "Ann", None)
    stale = link.new_device()
    door.household.sit(stale, "Somebody of another game", None)
    freed = link.new_device()
    other = TableLink("another-token", door.table.snapshot.table)
    device, holder = link.device_cookie_name, link.cookie_name
    right = link._cookie_value
    return {
        "a stranger": bare(),
        "a seat": bare(Role.SEAT, link.form_key_of(seat), [(device, cookie_of(door, seat))]),
        "a helper by cookie": bare(Role.HELPER, link.form_key, [(holder, right)]),
        "a helper by token": bare(Role.HELPER, link.form_key, Authorization=f"Bearer {TOKEN}"),
        "a wrong token beside a right cookie": bare(
            cookies=[(holder, right)], Authorization="Bearer wrong"
        ),
        "a forged helper's cookie": bare(cookies=[(holder, "0" * 64)]),
        "a helper of another table's token": bare(cookies=[(holder, other._cookie_value)]),
        "a forged device": bare(cookies=[(device, f"{seat}.{'0' * 64}")]),
        "another device's proof": bare(cookies=[(device, f"{seat}.{link._of_device(stale)}")]),
        "a cookie that is none": bare(cookies=[(device, "é.x"), (holder, "é")]),
        "a device of another game": bare(cookies=[(device, cookie_of(door, stale))]),
        "a device without a seat": bare(cookies=[(device, cookie_of(door, freed))]),
    }


KINDS = (
    "a stranger",
    "a seat",
    "a helper by cookie",
    "a helper by token",
    "a wrong token beside a right cookie",
    "a forged helper's cookie",
    "a helper of another table's token",
    "a forged device",
    "another device's proof",
    "a cookie that is none",
    "a device of another game",
    "a device without a seat",
)


@pytest.fixture
def door(evening):
    evening.do("dots")
    return Door(evening)


def routes(door):
    """Each endpoint with its method and an address of it; last the one that ends a seat."""
    rules = sorted(door.app.url_map.iter_rules(), key=lambda rule: rule.endpoint)
    for rule in sorted(rules, key=lambda rule: rule.endpoint == "joining.stand_up"):
        given = {name: VALUES.get(name, "1") for name in rule.arguments}
        with door.app.test_request_context():
            _, path = rule.build(given) or ("", "")
        for method in sorted((rule.methods or set()) & {"GET", "POST"}):
            yield rule.endpoint, method, path


def state(door):
    snapshot = door.table.snapshot
    kept = door.household.now, door.settings.now
    return snapshot.game, snapshot.step, snapshot.players, snapshot.readers, *kept


def call(sender, method, path, headers=(), **form):
    """The status; the body of a stream, which has no end, is not read."""
    headers = {**sender.headers, **dict(headers)}
    more = {"data": form} if method == "POST" else {}
    if path.startswith("/api/") and method == "POST":
        more = {"json": {}}
    response = sender.client.open(path, method=method, headers=headers, buffered=False, **more)
    status = response.status_code
    response.close()
    return status


@pytest.mark.parametrize("kind", KINDS)
def test_every_route_asks_who_it_is(door, kind):
    """Whoever may not is answered 401, and nothing changes; whoever may is answered otherwise."""
    sender = senders(door)[kind]
    wrong = []
    for endpoint, method, path in routes(door):
        before = state(door)
        status = call(sender, method, path, key=sender.key)
        allowed = sender.role >= ROLES[endpoint]
        if (status == 401) == allowed or status >= 500:
            wrong.append((endpoint, method, status))
        if not allowed and state(door) != before:
            wrong.append((endpoint, method, "changed something"))
    assert wrong == []


@pytest.mark.parametrize("kind", ["a seat", "a helper by cookie"])
def test_no_form_counts_that_is_not_of_the_own_page(door, kind):
    """With the wrong key, another's key, or from another site: refused, and nothing changes."""
    everybody = senders(door)
    sender = everybody[kind]
    others = {each.key for each in everybody.values()} - {sender.key, ""}
    wrong = []
    for endpoint, method, path in routes(door):
        if method != "POST" or sender.role < ROLES[endpoint]:
            continue
        api = path.startswith("/api/")
        tries = [(ELSEWHERE, sender.key), ({"Origin": "null://x"}, sender.key)]
        if endpoint not in OPEN and not api:
            tries += [({}, key) for key in ("", "0" * 32, *others)]
        for headers, key in tries:
            before = state(door)
            code = {"code": door.code, "seat": "Bo", "pin": door.link.pin, "language": "en"}
            status = call(sender, method, path, headers, key=key, **code)
            if status != 403 or state(door) != before:
                wrong.append((endpoint, headers, key, status))
    assert wrong == []


def test_a_program_with_the_token_needs_no_origin(door):
    sender = senders(door)["a helper by token"]
    response = sender.client.post(
        "/api/v1/actions", json={"do": "stop"}, headers={**sender.headers, **ELSEWHERE}
    )
    assert response.status_code == 200


def test_players_set_right_only_where_the_household_lets_them(door):
    seat = senders(door)["a seat"]
    endpoints = [
        (endpoint, method, path)
        for endpoint, method, path in routes(door)
        if endpoint in CORRECTING or endpoint.startswith("corrections.")
    ]
    assert len(endpoints) >= 10
    before = [call(seat, method, path, key=seat.key) for _, method, path in endpoints]
    assert 403 not in before
    door.settings.change({("choices", "players_correct"): False})
    after = {call(seat, method, path, key=seat.key) for _, method, path in endpoints}
    assert after == {403}
    assert "A mistake?" in seat.client.get("/play").text
    helper = senders(door)["a helper by cookie"]
    assert call(helper, "GET", "/correct") == 200


def press(client, shown, path, **form):
    fields = dict(re.findall(r'name="(key|view|page)" value="([^"]*)"', shown))
    return client.post(path, data={**fields, **form})


def test_a_seat_acts_for_its_own_player_and_in_its_turn(door):
    ann, bo = door.sit(seat="Ann"), door.sit(seat="Bo")
    stop = '{"do":"stop"}'
    assert press(bo, bo.get("/play").text, "/touch", action=stop).status_code == 409
    assert door.table.snapshot.standing.turn == "Ann"
    leave = '{"do":"leave","player":"Ann"}'
    assert press(bo, bo.get("/play").text, "/touch", action=leave).status_code == 409
    assert press(ann, ann.get("/play").text, "/touch", action=stop).status_code == 303
    assert door.table.snapshot.standing.turn == "Bo"
    assert door.table.snapshot.event.source.name == "Ann"
    assert press(ann, ann.get("/play").text, "/touch", action=leave).status_code == 303
    assert "Ann" in door.table.snapshot.standing.gone
    assert "You left this game" in ann.get("/play").text


def test_one_phone_cannot_use_the_key_of_another(door):
    ann, bo = door.sit(seat="Ann"), door.sit(seat="Bo")
    shown = bo.get("/play").text
    assert press(ann, shown, "/touch", action='{"do":"stop"}').status_code == 403
    again = door.sit(seat="Ann")
    assert press(ann, again.get("/play").text, "/touch", action='{"do":"stop"}').status_code == 403


def test_what_another_chose_is_not_found_out_by_sending_it_again(door):
    """Told once more that it is done is the sender alone; to others the view is out of date."""
    ann, bo = door.sit(seat="Ann"), door.sit(seat="Bo")
    stop = {"path": "/touch", "action": '{"do":"stop"}'}
    anns, bos = ann.get("/play").text, bo.get("/play").text
    assert press(ann, anns, **stop).status_code == 303
    assert press(bo, bos, **stop).status_code == 409
    assert door.table.snapshot.standing.turn == "Bo"

    fix = {"path": "/correct", "edits": '[{"before": null, "do": "reveal", "card": "rings"}]'}
    anns, bos = ann.get("/play").text, bo.get("/play").text
    answers = [press(client, page, **fix) for client, page in ((ann, anns), (ann, anns))]
    assert [answer.status_code for answer in answers] == [303, 303]
    other = press(bo, bos, **fix)
    assert (other.status_code, "The game has moved on" in other.text) == (200, True)
    assert door.table.snapshot.step == 3


def test_a_route_without_a_role_is_no_application(evening, monkeypatch):
    monkeypatch.delitem(ROLES, "phone.play")  # type: ignore[arg-type]
    with pytest.raises(LookupError, match=r"phone\.play"):
        Door(evening)
