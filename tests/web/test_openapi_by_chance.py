"""Requests that are made up from the API's own description: none of them finds a way around it."""

from __future__ import annotations

from contextlib import suppress

import pytest
import schemathesis
from evening import TOKEN, Evening
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks

EXAMPLES = {"right": 25, "wrong": 10, "none": 10}
"""Of each operation and kind. Who has no right is turned away before anything is looked at."""
checks.load_all_checks()
CHECKS = checks.CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    ]
)
TOKENS = {"right": TOKEN, "wrong": "wrong", "none": None}


@pytest.fixture(scope="module")
def evening(tmp_path_factory):
    evening = Evening(tmp_path_factory.mktemp("described"), ("Ann", "Bo"), {})
    evening.do("dots", "waves", {"do": "stop"}, "rings", {"do": "stop"})
    yield evening
    evening.close()


def operations(evening):
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", evening.app)
    found = [result.ok() for result in schema.get_all_operations()]
    # An event stream has no end, so it is not asked for here.
    return [each for each in found if not each.path.endswith("/stream")]


def truth(evening):
    """What a refused call must leave as it is."""
    past, snapshot = evening.table.past, evening.table.snapshot
    return past.game, past.entries, snapshot.state, snapshot.standing


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.name.lower())
@pytest.mark.parametrize("way", TOKENS)
def test_every_answer_is_described_and_a_refusal_changes_nothing(evening, way, mode):
    token = TOKENS[way]
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    called = 0
    for operation in operations(evening):

        @settings(
            max_examples=EXAMPLES[way],
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
        )
        @given(operation.as_strategy(generation_mode=mode))
        def call(case):
            nonlocal called
            before = truth(evening)
            response = case.call(headers=headers)
            case.validate_response(response, checks=CHECKS)
            called += 1
            if response.status_code >= 400 or token != TOKEN:
                assert truth(evening) == before, case.as_curl_command()

        # Nothing can be wrong about a request that has no parts.
        with suppress(Unsatisfiable):
            call()
    assert called >= 2 * EXAMPLES[way]
