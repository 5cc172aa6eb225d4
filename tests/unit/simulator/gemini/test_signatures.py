from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini.request import FunctionCall
from simulator.gemini.signatures import VALIDATOR_SKIP, Signer

calls = st.builds(
    FunctionCall,
    id=st.none() | st.text(max_size=5),
    name=st.text(max_size=5),
    args=st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2),
)


@given(calls, st.integers())
def test_a_signature_is_valid_in_either_alphabet(call: FunctionCall, seed: int) -> None:
    signer = Signer(seed=seed)
    signature = signer.sign(call)

    assert signer.accepts(call, signature)
    assert signer.accepts(call, signature.replace("-", "+").replace("_", "/"))
    assert not Signer(seed=seed + 1).accepts(call, signature)


@given(calls, calls)
def test_a_signature_belongs_to_one_call(call: FunctionCall, other: FunctionCall) -> None:
    signer = Signer(seed=0)

    assert signer.accepts(other, signer.sign(call)) is (call == other)


def test_the_order_of_arguments_does_not_matter() -> None:
    signer = Signer(seed=0)
    call = FunctionCall(id=None, name="a", args={"x": 1, "y": 2})

    assert signer.accepts(call, signer.sign(FunctionCall(id=None, name="a", args={"y": 2, "x": 1})))


def test_the_documented_placeholder_is_accepted_as_text_and_as_bytes() -> None:
    call = FunctionCall(id=None, name="a", args={})

    assert Signer(seed=0).accepts(call, VALIDATOR_SKIP)
    assert Signer(seed=0).accepts(call, base64.b64encode(VALIDATOR_SKIP.encode()).decode())
    assert not Signer(seed=0).accepts(call, "署名")
