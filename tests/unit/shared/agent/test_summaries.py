"""Recaps and captions as the model writes them, and what happens where it writes none."""

from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryFiles, MemoryLineApi, MemoryMedia, ScriptedModel
from shared.adapters.memory.line_people import HeldContent, MemoryProfiles
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.culprits import Culprits
from shared.agent.media_parts import MediaParts
from shared.agent.model import MixedContent
from shared.agent.people import People
from shared.agent.prompt import PromptBuilder
from shared.agent.summaries import ModelCaptioner, ModelSummariser
from shared.conversation.amendments import Amendments
from shared.conversation.media import Media
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.errors import ModelUnavailableError
from shared.line.bot_name import BotName
from shared.line.display_names import DisplayNames
from tests.support.chats import answer, message
from tests.support.inline import InlineExecutor

ID = "U" + "1" * 32
PICTURE = replace(message(1), type="image")
NO_TEXT: list[Step] = [
    unusable(),
    calling(("write_recap", {"text": " "}), ("write_description", {"text": " "})),
    calling(("reply", {"text": "hello"})),
]


def media_of(source: MemoryMedia) -> Media:
    return Media(source=source, threads=InlineExecutor(), clock=FixedClock())


def recap_of(chat: Conversation, step: Step, said: MessageRecord | None = None) -> str:
    momo = BotName(account=MemoryLineApi(), configured="Momo")
    people = People(display_names=DisplayNames(profiles=MemoryProfiles(), threads=InlineExecutor()), bot_name=momo)
    model, parts = ScriptedModel([step]), MediaParts(media=media_of(MemoryMedia()), files=MemoryFiles(), bucket=None)
    culprits = Culprits(model=model, parts=parts)
    summariser = ModelSummariser(model=model, prompt=PromptBuilder(bot_name=momo), people=people, culprits=culprits)
    return summariser.sum_up(chat, [said or message(1)], [answer(1)], Amendments())


def caption_of(chat: Conversation, *steps: Step, is_stored: bool = True) -> tuple[str | None, ScriptedModel]:
    source, model = MemoryMedia(), ScriptedModel(steps)
    parts = MediaParts(media=media_of(source), files=MemoryFiles(), bucket=None)
    if is_stored:
        source.contents["m1"] = HeldContent(data=b"x", content_type="image/jpeg")
        parts.media.begin_fetch(chat, PICTURE)
    return ModelCaptioner(model=model, parts=parts).caption(chat, PICTURE), model


def test_a_recap_is_the_first_text_that_the_model_writes(chat: Conversation) -> None:
    written = calling(("write_recap", {"text": " "}), ("write_recap", {"text": f" {ID} likes tea. "}))

    assert recap_of(chat, written) == "[ID] likes tea."
    assert len(recap_of(chat, calling(("write_recap", {"text": "word " * 900})))) <= 1_500


def test_a_recap_holds_no_link_that_its_stretch_does_not_hold(chat: Conversation) -> None:
    written = calling(("write_recap", {"text": "Tea, see https://evil.example/?d=4711 and evil.com."}))

    assert recap_of(chat, written) == "Tea, see … and …."
    given = "https://tea.example/a"
    kept = calling(("write_recap", {"text": f"They like {given} and tea.example."}))
    assert recap_of(chat, kept, replace(message(1), text=f"look: {given}")) == f"They like {given} and tea.example."


def test_a_caption_is_one_short_line_without_brackets(chat: Conversation) -> None:
    caption, model = caption_of(chat, calling(("write_description", {"text": f"[note]\n a cat of {ID}"})))

    assert caption == "(note) a cat of (ID)"
    (content,) = model.requests[0].contents
    assert isinstance(content, MixedContent)


def test_without_its_medium_there_is_no_caption_and_no_request(chat: Conversation) -> None:
    caption, model = caption_of(chat, is_stored=False)

    assert caption is None
    assert model.requests == []


@pytest.mark.parametrize("step", NO_TEXT)
def test_a_model_that_writes_nothing_is_asked_another_time(chat: Conversation, step: Step) -> None:
    with pytest.raises(ModelUnavailableError, match="no recap"):
        recap_of(chat, step)
    with pytest.raises(ModelUnavailableError, match="no description"):
        caption_of(chat, step)
