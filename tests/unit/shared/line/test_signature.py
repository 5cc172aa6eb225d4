import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import BadSignatureError
from shared.line.signature import verify_signature
from tests.support import recorded

# Source: LINE, "Verify webhook signature", its test vector
BODY = b'{"destination":"U8e742f61d673b39c7fff3cecb7536ef0","events":[]}'
SECRET = "8c570fa6dd201bb328f1c1eac23a96d8"
SIGNATURE = "GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs="


def test_lines_test_vector_is_accepted() -> None:
    verify_signature(BODY, SIGNATURE, channel_secrets=(SECRET,))


def test_two_channel_secrets_are_both_accepted() -> None:
    verify_signature(BODY, SIGNATURE, channel_secrets=("the new one", SECRET))
    verify_signature(BODY, recorded.signature(BODY, "the new one"), channel_secrets=("the new one", SECRET))


@pytest.mark.parametrize("signature", [None, "", "x", "GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs", "署名"])
def test_a_missing_or_malformed_signature_is_refused(signature: str | None) -> None:
    with pytest.raises(BadSignatureError, match="x-line-signature"):
        verify_signature(BODY, signature, channel_secrets=(SECRET,))


@given(data=st.data())
def test_any_flipped_bit_breaks_the_signature(data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(BODY) - 1))
    bit = data.draw(st.integers(0, 7))
    changed = bytearray(BODY)
    changed[position] ^= 1 << bit

    with pytest.raises(BadSignatureError, match="x-line-signature"):
        verify_signature(bytes(changed), SIGNATURE, channel_secrets=(SECRET,))


@given(body=st.binary(max_size=200), secret=st.text(min_size=1, max_size=20))
def test_a_body_that_was_signed_with_a_secret_is_accepted(body: bytes, secret: str) -> None:
    verify_signature(body, recorded.signature(body, secret), channel_secrets=("another", secret))
