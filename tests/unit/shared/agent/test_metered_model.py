"""A model behind a meter answers as the model does, and logs why the answer ended."""

import io
import json

import pytest

from shared.adapters.memory import FixedClock, ScriptedModel
from shared.adapters.memory.scripted_model import ScriptedJsonModel, calling, unusable
from shared.agent.metered_model import MeteredJsonModel, MeteredModel
from shared.agent.model import ModelRequest, ModelResponse
from shared.metering import Metering

METERING = Metering(clock=FixedClock())
REQUEST = ModelRequest(system_instruction="", declarations=(), contents=(), max_output_tokens=1, timeout_s=1)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (calling(("reply", {"message": "hello"})), "STOP"),
        (unusable("MAX_TOKENS"), "MAX_TOKENS"),
        (unusable("", block_reason="SAFETY"), "SAFETY"),
        (unusable("OTHER", block_reason="SAFETY"), "SAFETY"),
    ],
)
def test_why_an_answer_ended_is_logged(response: ModelResponse, reason: str, lines: io.StringIO) -> None:
    assert MeteredModel(model=ScriptedModel([response]), metering=METERING).generate(REQUEST) == response

    assert json.loads(lines.getvalue())["finish_reason"] == reason


def test_a_metered_model_has_the_name_of_its_model() -> None:
    assert MeteredModel(model=ScriptedModel(), metering=METERING).name == ScriptedModel.name
    assert MeteredJsonModel(model=ScriptedJsonModel(), metering=METERING).name == ScriptedJsonModel.name
