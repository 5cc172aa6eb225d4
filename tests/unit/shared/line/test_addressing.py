import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.line.addressing import GroupPolicy, is_addressed, may_address_by_quote, without_address
from shared.line.events import LineEvent, MessageContent
from shared.line.utf16 import utf16_length
from tests.support import recorded
from tests.support.parsing import parse_event

TEXT = st.text(max_size=12)


def in_a_group(**fields: object) -> LineEvent:
    event = recorded.event("message-text-in-group")
    event["message"] |= fields
    return parse_event(event)


def rest_of(text: str, *mentions: tuple[object, object], names: tuple[str, ...] = ("Momo",)) -> str:
    mentionees = [{"type": "user", "isSelf": True, "index": index, "length": length} for index, length in mentions]
    fields = {"text": text, "mention": {"mentionees": mentionees}}
    return without_address(MessageContent(line_message_id="1", type="text", fields=fields), bot_names=names)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("message-text", True),
        ("message-sticker", True),
        ("message-text-in-group", False),
        ("message-text-in-room", False),
        ("message-text-mentioning-the-bot", True),
        ("message-text-mentioning-all", False),
        ("follow", False),
    ],
)
def test_in_a_group_only_a_mention_of_the_bot_addresses_it(name: str, expected: bool) -> None:
    assert is_addressed(parse_event(recorded.event(name))) is expected


@pytest.mark.parametrize(
    "mention",
    [
        None,
        "x",
        {"mentionees": "x"},
        {"mentionees": ["x"]},
        {"mentionees": [{"isSelf": "true"}]},
        {"mentionees": [{"type": "all", "isSelf": True}]},
    ],
)
def test_a_malformed_mention_is_no_mention(mention: object) -> None:
    assert not is_addressed(in_a_group(mention=mention))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Momo", ["Momo"]),
        ("  momo help", ["Momo"]),
        ("@MOMO、教えて", ["Momo"]),
        ("＠ｍｏｍｏ 教えて", ["Momo"]),
        ("@Momo教えて", ["Momo"]),
        ("Momo教えて", ["Momo"]),
        ("Momoさん、教えて", ["Momo"]),
        ("もも、教えて", ["もも"]),
        ("@もも教えて", ["もも"]),
        ("ﾓﾓさん", ["モモ"]),
        ("모모야, 알려줘", ["모모"]),
        ("Strasse!", ["Straße"]),
        ("Mo  mo", ["Mo  mo"]),
        ("Kinako: hi", ["Momo", "Kinako"]),
        ("@相槌 🙂", ["相槌"]),
        ("相槌先生、お願いします", ["相槌"]),
        ("โมโม่ครับ พรุ่งนี้ฝนตกไหม", ["โมโม่"]),
        ("@โมโม่คะ", ["โมโม่"]),
        ("น้องโมโม่ ช่วยหน่อย", ["โมโม่"]),
        ("น้องโมโม่ ช่วยหน่อย", ["น้องโมโม่"]),
        ("คุณ Momo ครับ", ["Momo"]),
    ],
)
def test_the_bots_name_at_the_start_addresses_the_bot(text: str, names: list[str]) -> None:
    assert is_addressed(in_a_group(text=text), bot_names=names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Momoko is here", ["Momo"]),
        ("@momoko", ["Momo"]),
        ("Momo2", ["Momo"]),
        ("Momo_x", ["Momo"]),
        ("Mom", ["Momo"]),
        ("ask Momo", ["Momo"]),
        ("ももが食べたい", ["もも"]),
        ("@ももこ", ["もも"]),
        ("ももちゃん教えて、と言った", ["もも"]),
        ("@@Momo", ["Momo"]),
        ("hello", [""]),
        ("", ["Momo"]),
        ("👨\u200d👩 hi", ["👨"]),
        ("@all hi", ["Momo"]),
        ("Momo's birthday is tomorrow", ["Momo"]),
        ("Momo’s here", ["Momo"]),
        ("โมโม่คะแนนเท่าไร", ["โมโม่"]),
        ("คุณครูโมโม่", ["โมโม่"]),
        ("พี่น้องมาแล้ว", ["โมโม่"]),
    ],
)
def test_a_name_elsewhere_in_a_text_does_not_address_the_bot(text: str, names: list[str]) -> None:
    assert not is_addressed(in_a_group(text=text), bot_names=names)


def test_a_quote_may_address_the_bot_in_groups_that_may_address_it_at_all() -> None:
    quote = in_a_group(quotedMessageId="573000000000000777")

    assert may_address_by_quote(quote, policy=GroupPolicy.MENTION)
    assert not may_address_by_quote(quote, policy=GroupPolicy.OFF)
    assert not may_address_by_quote(in_a_group(), policy=GroupPolicy.MENTION)
    assert not may_address_by_quote(in_a_group(quotedMessageId=["x"]), policy=GroupPolicy.MENTION)


def test_no_message_addresses_the_bot_where_groups_get_commands_only() -> None:
    mentioning = parse_event(recorded.event("message-text-mentioning-the-bot"))

    assert is_addressed(mentioning, policy=GroupPolicy.MODEL)
    assert not is_addressed(mentioning, policy=GroupPolicy.OFF)
    assert is_addressed(parse_event(recorded.event("message-text")), policy=GroupPolicy.OFF)


@pytest.mark.parametrize(
    ("text", "mentions", "expected"),
    [
        ("@Momo what is it?", [(0, 5)], "what is it?"),
        ("😀😀 @Momo 何?", [(5, 5)], "😀😀 何?"),
        ("hey @Momo, what", [(4, 5)], "hey, what"),
        ("＠Momo、何?", [(0, 5)], "何?"),
        ("これ@Momo何", [(2, 5)], "これ 何"),
        ("one\n@Momo\ntwo", [(4, 5)], "one\n\ntwo"),
        ("@Momo @Momo hi", [(0, 5), (6, 5)], "hi"),
        ("@Momo", [(0, 5)], "@Momo"),
        ("@Momo .env", [(0, 5)], ".env"),
        ("Momo: hi", [], "hi"),
        ("＠ｍｏｍｏ　さて", [], "さて"),
        ("Momoさん、教えて", [], "教えて"),
        ("น้องMomoครับ ฝนตกไหม", [], "ฝนตกไหม"),
        ("ask Momo", [], "ask Momo"),
        ("、はい", [], "、はい"),
        ("plain text", [(0, 5)], "plain text"),  # nothing that begins with an at sign stands there
        ("😀@Momo hi", [(1, 5)], "😀@Momo hi"),  # in the middle of a character
        ("hi @Momo", [(3, 50)], "hi @Momo"),
        ("hi @Momo", [("3", 5), (True, 5), (-3, 5), (3, None)], "hi @Momo"),
    ],
)
def test_a_mention_is_cut_out_where_it_stands(text: str, mentions: list[tuple[object, object]], expected: str) -> None:
    assert rest_of(text, *mentions) == expected


@pytest.mark.parametrize("text", [None, 7, ["Momo"]])
def test_a_text_that_is_no_text_addresses_nobody(text: object) -> None:
    message = MessageContent(line_message_id="1", type="text", fields={"text": text})

    assert not is_addressed(in_a_group(text=text), bot_names=["Momo"])
    assert without_address(message, bot_names=["Momo"]) == ""


@given(TEXT, TEXT)
def test_cutting_a_mention_keeps_all_other_characters(before: str, after: str) -> None:
    left = rest_of(f"{before}@Zoë😀{after}", (utf16_length(before), 6), names=())

    kept = [one for one in left if not one.isspace()]
    expected = [one for one in before + after if not one.isspace()]
    assert kept == expected or kept == list("@Zoë😀") or not before.strip()


@given(st.text(max_size=40), st.integers(-3, 45), st.integers(-3, 45))
def test_a_wrong_index_breaks_nothing(text: str, index: int, length: int) -> None:
    left = rest_of(text, (index, length))

    assert left or not text


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("Momo🍑教えて", "Momo🍑", "教えて"),
        ("momo🍑what time", "Momo🍑", "what time"),
        ("モモ娘。次は？", "モモ娘。", "次は？"),
        ("Momo❤\ufe0fhi", "Momo❤\ufe0f", "hi"),
    ],
)
def test_a_name_that_ends_with_a_symbol_needs_nothing_behind_it(text: str, name: str, rest: str) -> None:
    message = MessageContent(line_message_id="1", type="text", fields={"text": text})

    assert is_addressed(in_a_group(text=text), bot_names=[name])
    assert without_address(message, bot_names=[name]) == rest
