"""What a model is asked with holds no id of LINE's."""

import pytest

from shared.agent.model import (
    Content,
    FilePart,
    FunctionCall,
    FunctionResponse,
    FunctionResponses,
    MediaPart,
    MixedContent,
    ModelContent,
    TextContent,
    mask_content,
)

ID = "U" + "1" * 32
PICTURE = MediaPart(content_type="image/png", source=f"gs://bucket/media/{ID}/m1")
CALL = FunctionCall(name="look_up", args={"who": ID})


@pytest.mark.parametrize(
    ("content", "masked"),
    [
        (TextContent(role="user", texts=(f"of {ID}",)), TextContent(role="user", texts=("of [ID]",))),
        (MixedContent(parts=(f"of {ID}", PICTURE)), MixedContent(parts=("of [ID]", PICTURE))),
        (MixedContent(parts=(FilePart(text=f"of {ID}"),)), MixedContent(parts=(FilePart(text="of [ID]"),))),
        (
            FunctionResponses(responses=(FunctionResponse(call=CALL, response={"output": {"who": ID}}),)),
            FunctionResponses(responses=(FunctionResponse(call=CALL, response={"output": {"who": "[ID]"}}),)),
        ),
        (ModelContent(wire={"text": ID}), ModelContent(wire={"text": ID})),
    ],
)
def test_ids_are_masked_in_all_but_the_models_own_contents_and_addresses(content: Content, masked: Content) -> None:
    assert mask_content(content) == masked
