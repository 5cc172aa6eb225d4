"""How the bot behaves in chats: when it answers, quotes, asks and leaves; through the real functions and SDKs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from simulator.gemini.script import Hold, call, unavailable
from simulator.line.events import WebhookEvent
from simulator.line.media import Media
from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.support import push, recorded
from tests.support.buttons import first_press
from tests.support.message_words import words_of
from tests.support.office_files import xlsx
from tests.support.serving import plain_http
from tests.support.stacks import running_stack

JPEG = Media(content=b"\xff\xd8\xff a red bicycle", content_type="image/jpeg")
PDF = Media(content=b"%PDF-1.7 a red bicycle", content_type="application/octet-stream")
ID = re.compile(r"[UCR][0-9a-f]{32}")


class Group:
    """A group of two with the bot in it."""

    def __init__(self, platform: Platform, *, greets: bool = True) -> None:
        self._platform = platform
        self.yuki, self.kenji = (Person(platform, name) for name in ("ゆき", "健二"))
        self.id = platform.do(lambda stack: stack.line.create_group("釣り", (self.yuki.id, self.kenji.id))).chat_id
        usual = platform.do(lambda stack: stack.line.switches)
        platform.do(lambda stack: setattr(stack.line, "switches", replace(usual, holds=not greets)))
        self.join()
        platform.do(lambda stack: setattr(stack.line, "switches", usual))

    def join(self) -> None:
        self._platform.do(lambda stack: stack.line.join(self.id))
        self._platform.settle()

    def says(self, text: str, *, by: Person | None = None, quoting: str | None = None) -> WebhookEvent:
        """Send a text; one that begins with `@Aizuchi` mentions the bot as LINE's app does."""
        bot = [self._platform.do(lambda stack: stack.line.account.user_id)] if text.startswith("@Aizuchi") else []
        person = by or self.yuki
        event = self._platform.do(
            lambda stack: stack.line.say(person.id, self.id, text, mentioning=bot, quoting=quoting)
        )
        self._platform.settle()
        return event

    def bubbles(self) -> list[Any]:
        """Return the messages of the bot in this group, the newest last."""
        people = {self.yuki.id, self.kenji.id}
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        return [one for one in messages if one.sender_id not in people]

    def hears(self) -> list[str]:
        return [words_of(one.content) for one in self.bubbles()]


@pytest.fixture
def group(platform: Platform) -> Group:
    return Group(platform)


def prompt(platform: Platform) -> str:
    """Return the last request to the model, as it arrived over the wire."""
    return platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def media_types_in_prompt(platform: Platform) -> list[str]:
    """Return the types of the media in the last request to the model."""
    request = platform.do(lambda stack: stack.gemini.requests[-1].request)
    assert request is not None
    return [part.media.media_type for content in request.contents for part in content.parts if part.media is not None]


def model_calls(platform: Platform) -> int:
    return platform.do(lambda stack: len(stack.gemini.requests))


def objects_with(platform: Platform, words: str, *, of: str) -> list[str]:
    return [name for name, data in platform.bucket().items() if of in name and words.encode() in data]


def test_only_mentions_names_and_quotes_of_the_bot_are_answered(platform: Platform, group: Group) -> None:
    assert len(group.hears()) == 1  # the greeting
    group.says("十時に駅で")
    group.says("@Aizuchi こんにちは")
    group.says("Aizuchi、こんにちは")
    group.says("こんにちは", quoting=group.bubbles()[-1].line_message_id)
    before = len(group.hears())
    group.says("了解", by=group.kenji)

    assert before == len(group.hears()) == 4
    assert objects_with(platform, "@Aizuchi こんにちは", of=group.id) == []


def test_a_quote_reaches_the_model_and_the_answer_quotes_the_question(platform: Platform, group: Group) -> None:
    quoted = str(group.says("十時に駅で").line_message_id)
    question = group.says("@Aizuchi どこ？", by=group.kenji, quoting=quoted)

    assert '引用メッセージ: "十時に駅で"\\n質問: どこ？' in prompt(platform)
    assert group.bubbles()[-1].quoted_message_id == question.line_message_id
    assert len(objects_with(platform, "十時に駅で", of=f"journal/{group.id}/{quoted}")) == 1


def test_a_withdrawn_quote_is_marked_in_the_prompt(platform: Platform, group: Group) -> None:
    quoted = str(group.says("暗証番号は四七一一").line_message_id)
    group.yuki.unsends(quoted)
    platform.settle()
    group.says("@Aizuchi 何番？", quoting=quoted)

    assert "引用メッセージ: 取り消されました" in prompt(platform)
    assert "四七一一" not in prompt(platform)


def test_a_prompt_holds_names_and_times_but_no_ids(platform: Platform, group: Group) -> None:
    group.says(f"私は {group.yuki.id} です")
    group.says("@Aizuchi こんにちは", by=group.kenji)

    assert re.search(r"\[note\] \w{3} \d{4}-\d\d-\d\d:", prompt(platform))
    assert re.search(r"\[ゆき \| \d\d:\d\d\] 私は \[ID\] です", prompt(platform))
    assert re.search(r"\[健二 \| \d{4}-\d\d-\d\d \d\d:\d\d\] こんにちは", prompt(platform))
    assert not ID.search(prompt(platform))


def test_an_answer_has_no_ids_no_markdown_and_short_bubbles(platform: Platform, person: Person) -> None:
    markdown = f"## 結論\n**{recorded.USER}** です。" + "これは文です。" * 40
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": markdown})]))

    person.says("教えて")
    person.hears_next(after=1)

    assert person.hears()[0].startswith("結論\n[ID] です。")
    assert max(map(len, person.hears())) <= 160


def test_help_and_id_are_answered_without_the_model(platform: Platform, group: Group) -> None:
    before = model_calls(platform)

    group.says("/help")
    group.says("／ＩＤ")

    assert "できること" in group.hears()[-2]
    assert group.id in group.hears()[-1]
    assert model_calls(platform) == before


def test_a_reset_erases_the_conversation_and_confirms_it(platform: Platform, person: Person) -> None:
    person.says("my word is swordfish")
    person.hears_next(after=0)

    person.says("/reset")
    assert "erased" in person.hears_next(after=1)
    platform.settle()

    assert objects_with(platform, "swordfish", of=person.id) == []
    person.says("what is my word?")
    assert "swordfish" not in person.hears_next(after=2)


def test_forget_asks_first_and_answers_a_duplicated_press_once(platform: Platform, person: Person) -> None:
    person.says("my word is swordfish")
    person.hears_next(after=0)
    person.says("/forget")
    platform.settle()
    assert objects_with(platform, "swordfish", of=person.id)
    question = platform.do(lambda stack: list(stack.line.chat(person.id).messages)[-1]).content
    platform.chaos(duplicate_probability=1.0)

    platform.do(lambda stack: stack.line.press(person.id, person.id, first_press(question)))
    platform.settle()

    assert objects_with(platform, "swordfish", of=person.id) == []
    assert [text for text in person.hears() if "Everything is erased" in text] == [person.hears()[-1]]


def test_a_redelivered_bye_does_not_leave_the_group_joined_since(platform: Platform, group: Group) -> None:
    group.says("my word is swordfish")
    group.says("/bye")
    button = first_press(group.bubbles()[-1].content)
    press = platform.do(lambda stack: stack.line.press(group.yuki.id, group.id, button))
    platform.settle()
    bye = press.as_sent(is_redelivery=True)
    assert group.hears()[-1].endswith("of this group and leave.")
    assert not platform.do(lambda stack: stack.line.chat(group.id).bot_is_member)
    assert objects_with(platform, "swordfish", of=group.id) == []
    group.join()

    with plain_http() as http:
        answer = http.post(platform.worker_url, content=push.envelope(bye))

    assert answer.status_code == 204
    assert platform.do(lambda stack: stack.line.chat(group.id).bot_is_member)


def test_a_picture_goes_with_the_question_about_it_and_is_erased_by_its_unsend(
    platform: Platform, person: Person
) -> None:
    sent = platform.do(lambda stack: stack.line.send_image(person.id, person.id, JPEG))
    person.hears_next(after=0)
    assert media_types_in_prompt(platform) == ["image/jpeg"]
    assert platform.bucket()[f"media/{person.id}/{sent.line_message_id}"] == JPEG.content

    person.says("何色だった？")
    person.hears_next(after=1)
    assert media_types_in_prompt(platform) == ["image/jpeg"]

    person.unsends(str(sent.line_message_id))
    platform.settle()
    assert not any(name.startswith(f"media/{person.id}/") for name in platform.bucket())


def test_the_answer_waits_for_a_video_that_line_prepares(platform: Platform, person: Person) -> None:
    ready_ms = platform.do(lambda stack: stack.line.now_ms()) + 1_500
    video = Media(content=b"video", content_type="video/mp4", prepared_at_ms=ready_ms)
    platform.do(lambda stack: stack.line.send_video(person.id, person.id, video, duration_ms=3_000))

    person.hears_next(after=0)

    assert media_types_in_prompt(platform) == ["video/mp4"]


def test_pictures_sent_together_are_one_question(platform: Platform, person: Person) -> None:
    before = model_calls(platform)
    platform.do(lambda stack: stack.line.send_images(person.id, person.id, [JPEG, JPEG, JPEG]))
    platform.settle()

    assert model_calls(platform) == before + 1
    assert media_types_in_prompt(platform) == ["image/jpeg"] * 3
    assert len(person.hears()) == 1


def test_a_group_file_is_fetched_when_it_is_quoted_to_the_bot(platform: Platform, group: Group) -> None:
    sent = platform.do(lambda stack: stack.line.send_file(group.yuki.id, group.id, PDF, file_name="案.pdf"))
    platform.settle()
    assert not any(name.startswith(f"media/{group.id}/") for name in platform.bucket())

    group.says("@Aizuchi これ読んで", by=group.kenji, quoting=str(sent.line_message_id))

    assert media_types_in_prompt(platform) == ["application/pdf"]
    assert f"media/{group.id}/{sent.line_message_id}" in platform.bucket()


def test_a_workbook_is_read_and_its_rows_answer_the_question_about_it(platform: Platform, person: Person) -> None:
    sales = Media(content=xlsx({"売上": (("品名", "数"), ("りんご", 3))}), content_type="application/octet-stream")
    sent = platform.do(lambda stack: stack.line.send_file(person.id, person.id, sales, file_name="売上.xlsx"))
    assert person.hears_next(after=0) == "ファイルの始まりは「1: 品名 | 数」ですね。"

    person.says("りんごはいくつ？")
    assert person.hears_next(after=1) == "2: りんご | 3"

    person.unsends(str(sent.line_message_id))
    platform.settle()
    assert objects_with(platform, "りんご | 3", of=person.id) == []


def test_a_file_that_nobody_can_read_is_answered_without_the_model(platform: Platform, person: Person) -> None:
    before = model_calls(platform)
    archive = Media(content=b"PK\x03\x04", content_type="application/zip")
    platform.do(lambda stack: stack.line.send_file(person.id, person.id, archive, file_name="all.zip"))

    assert person.hears_next(after=0).startswith("この種類のファイルは読めません。")
    assert model_calls(platform) == before


def test_the_loading_animation_is_shown_until_the_answer(platform: Platform, person: Person) -> None:
    hold = Hold()
    platform.do(lambda stack: stack.gemini.script([call("reply", {"message": "お待たせ"}).held(hold)]))
    person.says("こんにちは")
    hold.wait_until_reached(PATIENCE_S)
    platform.pause(1.5)

    is_shown = platform.do(lambda stack: stack.line.chat(person.id).loading_until_ms > stack.line.now_ms())
    hold.release()

    assert is_shown
    assert person.hears_next(after=0) == "お待たせ"
    assert platform.do(lambda stack: stack.line.chat(person.id).loading_until_ms) == 0


def test_a_new_member_is_not_greeted(platform: Platform, group: Group) -> None:
    newcomer = Person(platform, "新人")
    platform.do(lambda stack: stack.line.add_member(group.id, newcomer.id))
    platform.settle()

    assert len(group.hears()) == 1


@pytest.fixture(scope="module")
def interjecting_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A stack whose bot may interject.  Its lease is the deployed one: the model gets a part of the lease, and a busy machine is slow."""
    folder = tmp_path_factory.mktemp("interjecting_stack")
    more_env = {"SETTLE_MS": "0", "GROUP_POLICY": "model", "LEASE_S": "25"}
    with running_stack(folder, more_env=more_env) as (loop, stack):
        yield Platform(loop, stack, folder)


def test_a_bot_that_may_interject_stays_silent_on_failure(interjecting_stack: Platform) -> None:
    first, second = Group(interjecting_stack, greets=False), Group(interjecting_stack, greets=False)
    interjecting_stack.do(lambda stack: stack.gemini.script([call("reply", {"message": "傘をどうぞ"})]))

    first.says("雨かな")
    first.says("雨だね")
    interjecting_stack.do(lambda stack: stack.gemini.script([unavailable()] * 3))
    second.says("雨かな")

    assert first.hears() == ["傘をどうぞ"]
    assert second.hears() == []
