"""What the tests of telling others share."""

from __future__ import annotations

import subprocess

import pytest

CA = ("-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A certificate of its own authority for 127.0.0.1, and its key."""
    folder = tmp_path_factory.mktemp("authority")
    names = "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"
    for name in ("right", "other"):
        files = "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"
        subprocess.run(["openssl", "req", *CA, *names, *files], check=True, capture_output=True)
    return folder
