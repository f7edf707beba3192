"""What a household may say of those who are told, and what is refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.telling.settings import Mqtt, Webhook

MQTT = [
    ({"host": "mqtt://broker"}, "host is a name"),
    ({"host": ""}, "host is a name"),
    ({"port": 0}, "port is a number"),
    ({"username": "a", "password": "b", "password_file": Path("c")}, "password and password_file"),
    ({"password": "b"}, "username is missing"),
    ({"ca": Path("ca.pem")}, "ca is of use"),
    ({"prefix": "a/#"}, "prefix is made of"),
    ({"prefix": ""}, "prefix is made of"),
    ({"prefix": "/a"}, "prefix is made of"),
    ({"prefix": "a" * 101}, "prefix is made of"),
    ({"discovery_prefix": "$SYS"}, "discovery_prefix is made of"),
]
WEBHOOK = [
    ("ftp://example.org", "url is an address"),
    ("example.org/hook", "url is an address"),
    ("http://", "url is an address"),
    ("http://example.org:0/", "url is an address"),
    ("http://example.org:99999/", "url is an address"),
    ("http://[::1", "url is an address"),
    ("https://example.org/a b", "url is an address"),
    ("https://example.org/\r\nX: y", "url is an address"),
    ("https://ann:secret@example.org/", "url has a name"),
]


@pytest.mark.parametrize(("given", "said"), MQTT)
def test_what_mqtt_refuses(given, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        Mqtt(**given)


@pytest.mark.parametrize(("url", "said"), WEBHOOK)
def test_what_a_webhook_refuses(url, said):
    with pytest.raises(ValueError, match=f"^{said}") as refused:
        Webhook(url)
    assert "secret" not in str(refused.value).replace("by secret instead", "")


def test_a_webhook_without_tls_has_no_authority():
    with pytest.raises(ValueError, match=r"^ca is of use"):
        Webhook("http://example.org/", ca=Path("ca.pem"))


def test_the_usual_ports():
    assert Mqtt("broker").port_in_use == 1883
    assert Mqtt("broker", tls=True).port_in_use == 8883
    assert Mqtt("broker", 1234, tls=True).port_in_use == 1234


def test_secrets_are_not_printed():
    assert "p4ss" not in repr(Mqtt("broker", username="a", password="p4ss"))
    assert "p4ss" not in repr(Webhook("https://example.org/p4ss", "p4ss"))
