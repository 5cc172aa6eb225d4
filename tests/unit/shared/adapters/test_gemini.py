"""What the adapter makes of odd answers.  On the wire: tests/contract/test_model.py."""

import pytest
from google.genai import errors

from shared.adapters.gemini_sdk import translate_error
from shared.errors import ModelRefusedError, ModelUnavailableError


@pytest.mark.parametrize("status", ["Wrong: my pin is 4711", {"my pin": 4711}, ["4711"], None, "A" * 65])
def test_a_status_that_is_no_constant_is_in_no_error(status: object) -> None:
    error = errors.APIError(400, {"error": {"status": status}})

    assert str(translate_error(error)) == "the model refused the request: 400 unknown"


def test_a_constant_status_is_in_the_error() -> None:
    error = errors.APIError(403, {"error": {"status": "PERMISSION_DENIED"}})

    assert isinstance(translate_error(error), ModelRefusedError)
    assert str(translate_error(error)) == "the model refused the request: 403 PERMISSION_DENIED"


@pytest.mark.parametrize("status", [429, 503])
def test_a_status_that_may_pass_is_no_refusal(status: int) -> None:
    assert isinstance(translate_error(errors.APIError(status, {})), ModelUnavailableError)


@pytest.mark.parametrize(
    ("status", "reason", "is_about_request"),
    [
        (400, "", True),
        (413, "", True),
        (400, "API_KEY_INVALID", False),
        (401, "", False),
        (403, "", False),
        (404, "", False),
    ],
)
def test_a_refusal_tells_whether_the_request_or_the_key_and_the_model_are_at_fault(
    status: int, reason: str, is_about_request: bool
) -> None:
    details = {
        "error": {"code": status, "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]}
    }

    refused = translate_error(errors.APIError(status, details))

    assert isinstance(refused, ModelRefusedError)
    assert refused.is_about_request is is_about_request
