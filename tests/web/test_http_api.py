"""The HTTP API: it answers as it is described, whatever is sent."""

from __future__ import annotations

import json
import re

import pytest
from evening import TOKEN
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from web_ui.errors import STATUS
from web_ui.openapi import DOCUMENT, described

BEARER = {"Authorization": f"Bearer {TOKEN}"}
ACTIONS = "/api/v1/actions"
TABLE = "/api/v1/table"


def validator(path, method, status):
    registry = Registry().with_resource(
        "urn:api", Resource.from_contents(DOCUMENT, default_specification=DRAFT202012)
    )
    place = [path.replace("/", "~1"), method, "responses", str(status), "content"]
    pointer = "/".join(["urn:api#/paths", *place, "application~1json", "schema"])
    return Draft202012Validator({"$ref": pointer}, registry=registry)


def conforms(response, path, method):
    """The body, after it was held against what is described for this status."""
    body = response.get_json()
    validator(path, method, response.status_code).validate(body)
    if response.status_code >= 400:
        assert STATUS[body["error"]["code"]] == response.status_code
    return body


def post(client, body, **headers):
    return client.post(ACTIONS, json=body, headers={**BEARER, **headers})


def test_every_route_is_described_and_every_description_is_a_route(evening):
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in evening.app.url_map.iter_rules()
        if rule.rule.startswith("/api/")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    described = {(path, method) for path, entry in DOCUMENT["paths"].items() for method in entry}
    assert routes == described


def test_the_description_is_served_and_its_schemas_are_schemas(evening):
    body = evening.client().get("/api/v1/openapi.json").get_json()
    link = body["components"]["securitySchemes"]["link"]
    client = evening.client(helper=True)
    assert client.get_cookie(link["name"]) is not None
    assert body == json.loads(json.dumps(described(link["name"])))
    assert body["openapi"].startswith("3.1")
    for schema in body["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_the_described_codes_are_those_of_the_status_table():
    described = DOCUMENT["paths"][ACTIONS]["post"]["responses"]
    assert {int(status) for status in described} <= {200, *STATUS.values()}


def test_the_table_is_for_everybody(evening):
    evening.do("dots")
    body = conforms(evening.client().get(TABLE), TABLE, "get")
    assert body["state"]["fish"] == {"Ann": ["dots"], "Bo": []}
    assert body["legal"] == []
    assert body["last_event"] == {"text": "Ann: fish on dots", "cause": "card read on sim"}
    assert body["readers"] == [
        {"name": "sim", "state": "ready", "hardware": "Virtual reader", "trouble": ""}
    ]


def test_a_lost_reader_says_what_to_do(evening):
    evening.virtual.unplug()
    (reader,) = conforms(evening.client().get(TABLE), TABLE, "get")["readers"]
    assert reader["state"] == "lost"
    assert "plug" in reader["trouble"]


def test_an_action_is_done_and_answered_with_what_came_of_it(evening):
    body = conforms(post(evening.client(), {"do": "reveal", "card": "dots"}), ACTIONS, "post")
    assert body["outcomes"] == [
        {"what": "card", "card": "dots"},
        {"what": "fish-won", "player": "Ann", "pattern": "dots"},
    ]
    assert body["step"] == 1
    assert body["last_event"]["cause"] == "program"
    undone = conforms(post(evening.client(), {"undo": 1}), ACTIONS, "post")
    assert undone["step"] == 0
    assert undone["outcomes"] == []
    assert undone["last_event"] == {"text": "One step taken back", "cause": "taken back: program"}


def test_a_request_with_an_id_counts_once(evening):
    wish = {"do": "reveal", "card": "dots", "id": "one"}
    first = conforms(post(evening.client(), wish), ACTIONS, "post")
    again = conforms(post(evening.client(), wish), ACTIONS, "post")
    assert "repeated" not in first
    assert again["repeated"] is True
    assert again["step"] == first["step"] == 1
    assert again["outcomes"] == first["outcomes"]


def test_a_stale_wish_changes_nothing_and_brings_the_table_as_it_is(evening):
    seen = evening.table.snapshot.revision
    evening.do("dots")
    response = post(evening.client(), {"do": "stop", "revision": seen})
    body = conforms(response, ACTIONS, "post")
    assert (response.status_code, body["error"]["code"]) == (409, "stale")
    assert body["table"]["step"] == 1
    fresh = post(evening.client(), {"do": "stop", "revision": body["table"]["revision"]})
    assert fresh.status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"do": "stop"}, "not-legal"),
        ({"do": "fly"}, "bad-command"),
        ({"do": "reveal"}, "bad-command"),
        ({"do": "reveal", "card": "sun"}, "unknown-card"),
        ({"do": "reveal", "card": "dots\0"}, "unknown-card"),
        ({"do": "leave", "player": "Nobody"}, "unknown-player"),
        ({"undo": 1}, "not-legal"),
        ({"undo": 10**300}, "not-legal"),
        ({"undo": 0}, "bad-command"),
        ({"undo": True}, "bad-command"),
        ({"undo": 1, "do": "stop"}, "bad-command"),
        ({}, "bad-command"),
        ([], "bad-command"),
        ({"do": "stop", "revision": "1"}, "bad-command"),
        ({"do": "stop", "revision": -1}, "bad-command"),
        ({"do": "stop", "revision": 2**63}, "bad-command"),
        ({"do": "stop", "revision": True}, "bad-command"),
        ({"do": "stop", "id": ""}, "bad-command"),
        ({"do": "stop", "id": "x" * 101}, "bad-command"),
        ({"do": "stop", "id": "a\0b"}, "bad-command"),
        ({"do": "stop", "id": 7}, "bad-command"),
    ],
)
def test_what_cannot_be_done_says_so(evening, body, code):
    response = post(evening.client(), body)
    assert conforms(response, ACTIONS, "post")["error"]["code"] == code
    assert evening.table.snapshot.step == 0


RAW = [
    b"",
    b"{",
    b"\xff\xfe",
    b'{"do":"stop","do":"stop"}',
    b'{"do":NaN}',
    b'{"undo":1e999}',
    b'{"do":"\\ud800"}',
    b"[" * 8000,
    b'{"a":' * 2500,
    b'{"undo":' + b"9" * 9000 + b"}",
    b'"stop"',
]


@pytest.mark.parametrize("raw", RAW, ids=range(len(RAW)))
def test_what_is_no_command_is_refused(evening, raw):
    response = evening.client().post(
        ACTIONS, data=raw, content_type="application/json", headers=BEARER
    )
    assert response.status_code in {400, 409}
    conforms(response, ACTIONS, "post")


@given(
    body=st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["do", "undo", "card", "id", "revision", "from", "player"])
                | st.text(max_size=5),
                inner | st.sampled_from(["reveal", "stop", "steal", "leave", "dots", "Ann"]),
                max_size=4,
            )
        ),
        max_leaves=8,
    ).map(lambda value: json.dumps(value).encode())
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_nothing_that_is_sent_breaks_it(evening, body):
    response = evening.client().post(
        ACTIONS, data=body, content_type="application/json", headers=BEARER
    )
    assert response.status_code < 500
    conforms(response, ACTIONS, "post")


def test_too_much_is_refused(evening):
    response = evening.client().post(
        ACTIONS, data=b" " * 20000, content_type="application/json", headers=BEARER
    )
    assert conforms(response, ACTIONS, "post")["error"]["code"] == "too-large"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", None])
def test_only_json_is_taken(evening, kind):
    response = evening.client().post(
        ACTIONS, data=b'{"do":"stop"}', content_type=kind, headers=BEARER
    )
    assert conforms(response, ACTIONS, "post")["error"]["code"] == "unsupported-type"


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_without_the_token_nothing_is_done(evening, value):
    client = evening.client(helper=True)
    response = client.post(ACTIONS, json={"do": "stop"}, headers={"Authorization": value})
    assert conforms(response, ACTIONS, "post")["error"]["code"] == "unauthorized"
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_the_cookie_will_do_unless_another_site_sent_it(evening):
    client = evening.client(helper=True)
    wish = {"do": "reveal", "card": "dots"}
    for origin in ("http://evil.example", "null", "http://localhost:1", "http://[", "https://"):
        response = client.post(ACTIONS, json=wish, headers={"Origin": origin})
        assert conforms(response, ACTIONS, "post")["error"]["code"] == "forbidden", origin
    assert evening.table.snapshot.step == 0
    response = client.post(ACTIONS, json=wish, headers={"Origin": "http://LOCALHOST"})
    assert response.status_code == 200
    assert evening.client().post(ACTIONS, json=wish).status_code == 401


def test_errors_of_the_router_have_the_same_shape(evening):
    client = evening.client()
    missing = client.get("/api/v1/nothing")
    assert (missing.status_code, missing.get_json()["error"]["code"]) == (404, "not-found")
    wrong = client.get(ACTIONS)
    assert (wrong.status_code, wrong.get_json()["error"]["code"]) == (405, "method-not-allowed")
    assert wrong.headers["Allow"]


def test_a_fault_of_ours_is_answered_in_the_same_shape(evening, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(evening.table, "act", fail)
    response = post(evening.client(), {"do": "stop"})
    assert response.status_code == 500
    assert response.get_json()["error"]["code"] == "internal"
    assert b"secret" not in response.data


def test_when_the_service_ends_it_says_so(evening):
    evening.table.close()
    response = post(evening.client(), {"do": "stop"})
    assert conforms(response, ACTIONS, "post")["error"]["code"] == "closed"
    assert evening.client().get("/healthz").status_code == 503


def test_a_program_hears_english_whatever_the_language(evening):
    evening.do("dots")
    response = evening.client().get(TABLE, headers={"Accept-Language": "pl"})
    assert response.get_json()["last_event"]["text"] == "Ann: fish on dots"


def test_no_uid_ever_leaves(evening):
    evening.virtual.turn_top()
    evening.virtual.tap_unknown()
    client = evening.client(helper=True)
    seen = client.get("/").text + client.get("/virtual").text + client.get(TABLE).text
    assert not [uid for uid in (*evening.table.spent, "FEFFFFFFFFFFFF") if uid in seen]
