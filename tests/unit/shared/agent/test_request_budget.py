"""A request stays within its budget, however large its parts are, and the newest stays as whole as possible."""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.agent.chat_lines import HISTORY_TOKENS
from shared.agent.model import (
    Content,
    FilePart,
    FunctionCall,
    FunctionDeclaration,
    FunctionResponse,
    FunctionResponses,
    MediaPart,
    MixedContent,
    ModelContent,
    TextContent,
)
from shared.agent.request_budget import (
    MEDIUM_TOKENS,
    REQUEST_TOKENS,
    tokens_of_contents,
    tokens_of_request,
    within_request,
)
from shared.agent.token_estimate import estimated_tokens
from shared.agent.transcript import DAY_NOTE_TOKENS

SCRIPTS: Final = {"ja": "長い話。", "en": "long talk. ", "zh-TW": "很長的話。", "th": "เรื่องยาวมาก "}
SYSTEM: Final = "be good"
DECLARATION: Final = FunctionDeclaration(name="find", description="find", parameters={"type": "object"})


@pytest.fixture(params=sorted(SCRIPTS))
def words(request: pytest.FixtureRequest) -> str:
    return SCRIPTS[request.param]


def transcript(words: str, lines: int) -> str:
    said = (f"[Yuki | 2026-11-22 12:{number % 60:02}] {number} {words * 20}" for number in range(lines))
    return "\n".join(("[note] The conversation so far.", *said))


def called(*arguments: object) -> ModelContent:
    return ModelContent(wire={"role": "model", "parts": [{"functionCall": {"name": "find", "args": arguments}}]})


def found(words: str, *, results: int = 1, times: int = 4_000, number: int = 0) -> FunctionResponses:
    answers = (
        FunctionResponse(
            call=FunctionCall(name="find", args={}),
            response={"output": {"round": number, "pages": [f"{place} {words * 20}" for place in range(times)]}},
        )
        for _ in range(results)
    )
    return FunctionResponses(responses=tuple(answers))


def size_of(contents: tuple[Content, ...]) -> int:
    declared = estimated_tokens('["find", "find", {"type": "object"}]')
    return tokens_of_contents(contents) + estimated_tokens(SYSTEM) + declared


def cut(*contents: Content, limit: int = REQUEST_TOKENS) -> tuple[Content, ...]:
    return within_request(SYSTEM, (DECLARATION,), contents, limit_tokens=limit)


def test_a_request_within_the_budget_stays_as_it_is(words: str) -> None:
    contents = (
        TextContent(role="user", texts=(transcript(words, 20), words)),
        called("x"),
        found(words, times=3),
    )

    assert cut(*contents) == contents


def test_the_newest_results_of_many_calls_share_what_is_left(words: str) -> None:
    kept = cut(TextContent(role="user", texts=(words,)), called("x"), found(words, results=16, times=200))

    assert size_of(kept) <= REQUEST_TOKENS
    newest = kept[-1]
    assert isinstance(newest, FunctionResponses)
    assert len(newest.responses) == 16
    assert all("narrower query" in str(one.response) for one in newest.responses)
    assert all("0 " in str(one.response["output"]) for one in newest.responses)


def test_earlier_results_go_before_the_newest(words: str) -> None:
    kept = cut(
        TextContent(role="user", texts=(transcript(words, 100),)),
        called("x"),
        found(words, times=40, number=1),
        called("y"),
        found(words, times=40, number=2),
        limit=transcript_size(words, 100) + tokens_of_contents((found(words, times=40),)) + 100,
    )

    first, second = (one for one in kept if isinstance(one, FunctionResponses))
    assert "left out" in str(first.responses[0].response)
    assert "'round': 2" in str(second.responses[0].response)


def transcript_size(words: str, lines: int) -> int:
    return estimated_tokens(transcript(words, lines))


def test_of_the_chat_the_oldest_lines_go_first_and_the_question_stays(words: str) -> None:
    question = f"[Yuki | 2026-11-22 13:00] {words}?"
    kept = cut(TextContent(role="user", texts=(transcript(words, 2_000), "[note] To be answered:", question)))

    assert size_of(kept) <= REQUEST_TOKENS
    content = kept[0]
    assert isinstance(content, TextContent)
    assert content.texts[-1] == question
    assert content.texts[0].startswith("[note] The conversation so far.\n[note] What was said before")
    assert f"] 1999 {words}" in content.texts[0]
    assert f"] 0 {words}" not in content.texts[0]
    assert all(line.startswith("[") for line in content.texts[0].split("\n"))


def test_many_long_questions_are_cut_alike(words: str) -> None:
    asked = tuple(f"[Yuki | 2026-11-22 13:00] {number} {words * 2_000}" for number in range(100))
    kept = cut(TextContent(role="user", texts=(transcript(words, 10), *asked)))

    assert size_of(kept) <= REQUEST_TOKENS
    content = kept[0]
    assert isinstance(content, TextContent)
    assert [one.split()[4] for one in content.texts[1:]] == [str(number) for number in range(100)]
    assert all("more characters are left out here" in one for one in content.texts[1:])
    assert not any("[note]" in one for one in content.texts[1:])
    assert size_of(kept) > REQUEST_TOKENS * 3 // 4


def test_media_count_and_stay(words: str) -> None:
    media = [MediaPart(content_type="image/jpeg", source=b"x")] * 5
    kept = cut(MixedContent(parts=(transcript(words, 2_000), *media)))

    content = kept[0]
    assert isinstance(content, MixedContent)
    assert list(content.parts[1:]) == media
    assert size_of(kept) <= REQUEST_TOKENS
    assert tokens_of_contents(kept) > 5 * MEDIUM_TOKENS


def test_a_file_is_cut_at_its_end_and_stays_a_file(words: str) -> None:
    file = FilePart(text=f"[note] The words of the file\n{words * 30_000}")
    content = cut(MixedContent(parts=(transcript(words, 2_000), file)))[0]

    assert isinstance(content, MixedContent)
    shown = content.parts[1]
    assert isinstance(shown, FilePart)
    assert shown.text.startswith("[note] The words of the file")
    assert shown.text.endswith("more characters are left out here)")
    assert size_of((content,)) <= REQUEST_TOKENS


def test_declarations_of_one_name_count_by_their_own_parameters() -> None:
    longer = replace(DECLARATION, parameters={"type": "object", "title": "long talk"})

    counts = [tokens_of_request(SYSTEM, [one], ()) for one in (DECLARATION, longer, DECLARATION)]

    assert counts[0] == counts[2] < counts[1]


def test_text_between_media_counts_as_text() -> None:
    media = MediaPart(content_type="image/jpeg", source=b"x")

    assert tokens_of_contents((MixedContent(parts=("猫" * 10, media)),)) == 10 + MEDIUM_TOKENS


def test_a_request_that_just_fits_stays_as_it_is_whatever_takes_most_of_it(words: str) -> None:
    rounds = [one for number in range(4) for one in (called(words * 400), found(words, times=2, number=number))]
    contents = (TextContent(role="user", texts=(words,)), *rounds)

    assert cut(*contents, limit=size_of(contents)) == contents
    assert cut(*contents, limit=size_of(contents) - 1) != contents


def test_only_as_many_earlier_results_go_as_have_to(words: str) -> None:
    rounds = [one for number in range(3) for one in (called(), found(words, times=40, number=number))]
    contents = (TextContent(role="user", texts=(words,)), *rounds)

    kept = cut(*contents, limit=size_of(contents) - 1)

    results = [str(one.responses[0].response) for one in kept if isinstance(one, FunctionResponses)]
    assert ["left out" in one for one in results] == [True, False, False]


def test_rounds_stay_where_what_the_model_wrote_is_no_more_than_half(words: str) -> None:
    contents = (
        TextContent(role="user", texts=(words,)),
        called("猫" * 1_000),
        found(words),
        called("猫" * 1_000),
        found(words),
    )
    written = tokens_of_contents(tuple(one for one in contents if isinstance(one, ModelContent)))
    for limit, rounds in ((2 * written, 2), (2 * written - 1, 1)):
        kept = cut(*contents, limit=limit + size_of(()))

        assert sum(isinstance(one, ModelContent) for one in kept) == rounds


def test_beside_a_large_result_a_small_one_and_an_error_stay_whole(words: str) -> None:
    error = FunctionResponse(call=FunctionCall(name="find", args={}), response={"error": "no such page" * 100})
    (small,) = found(words, times=4).responses
    (large,) = found(words).responses
    for answers, beside in (((small, large), small), ((error, large), error)):
        contents = (
            TextContent(role="user", texts=(words,)),
            called("x"),
            FunctionResponses(responses=answers),
        )
        size = tokens_of_contents((FunctionResponses(responses=(beside,)),))
        limit = size_of(contents[:2]) + 2 * size

        newest = cut(*contents, limit=limit)[-1]

        assert isinstance(newest, FunctionResponses)
        assert newest.responses[0] == beside
        assert newest.responses[1] != large


def test_an_error_stays_whole_however_little_is_left(words: str) -> None:
    error = FunctionResponse(call=FunctionCall(name="find", args={}), response={"error": "no such page" * 100})
    (large,) = found(words).responses

    newest = cut(called("x"), FunctionResponses(responses=(error, large)), limit=300)[-1]

    assert isinstance(newest, FunctionResponses)
    assert newest.responses[0] == error


@pytest.mark.parametrize("is_transcript", [True, False])
def test_beside_a_long_text_one_that_just_fits_stays_whole(words: str, *, is_transcript: bool) -> None:
    said, asked = transcript(words, 3), f"[Yuki | 12:00] {words * 4_000}"
    texts = (said, asked) if is_transcript else (transcript(words, 2_000), said)

    (kept,) = cut(TextContent(role="user", texts=texts), limit=2 * estimated_tokens(said) + size_of(()))

    assert isinstance(kept, TextContent)
    assert [one == before for one, before in zip(kept.texts, texts, strict=True)] == [is_transcript, not is_transcript]


@pytest.mark.parametrize(("more", "lines"), [(0, 3), (-1, 2)])
def test_of_the_chat_as_many_lines_stay_as_fit(more: int, lines: int) -> None:
    opening, note = "[note] The conversation so far.", "[note] What was said before is not shown here."
    said = "\n".join((opening, *("[" + "猫" * 99 for _ in range(9))))
    room = estimated_tokens(opening) + estimated_tokens(note) + 1 + DAY_NOTE_TOKENS + 1 + 300 + more

    (kept,) = cut(TextContent(role="user", texts=(said,)), limit=room + size_of(()))

    assert isinstance(kept, TextContent)
    assert kept.texts[0].count("猫" * 99) == lines


@pytest.mark.parametrize(
    ("lines", "day"), [(4, "Sun 2026-11-22"), (6, "Sun 2026-11-22"), (7, "Sat 2026-11-21"), (9, "Sat 2026-11-21")]
)
def test_the_first_line_that_stays_still_has_its_day(lines: int, day: str) -> None:
    opening = "[note] The conversation so far."
    saturday, sunday = (f"[note] {name}:" for name in ("Sat 2026-11-21", "Sun 2026-11-22"))
    said = [f"[Yuki | 12:{number:02}] {'猫' * 95}" for number in range(12)]
    whole = "\n".join((opening, saturday, *said[:6], sunday, *said[6:]))

    (kept,) = cut(TextContent(role="user", texts=(whole,)), limit=lines * 102 + 46 + size_of(()))

    assert isinstance(kept, TextContent)
    _, cut_note, first_day, *others = kept.texts[0].split("\n")
    assert cut_note == "[note] What was said before is not shown here."
    assert first_day == f"[note] {day}:"
    assert others == (said[-lines:] if first_day == sunday else [*said[-lines:6], sunday, *said[6:]])


def test_rounds_go_whole_if_nothing_else_helps(words: str) -> None:
    rounds = [one for number in range(8) for one in (called(words * 4_000), found(words, times=2, number=number))]
    kept = cut(TextContent(role="user", texts=(words,)), *rounds)

    assert size_of(kept) <= REQUEST_TOKENS
    assert kept[0] == TextContent(role="user", texts=(words,))
    assert len(kept) < len(rounds)
    assert kept[-2:] == tuple(rounds[-2:])
    assert [type(one) for one in kept[1:3]] == [ModelContent, FunctionResponses]


@given(
    st.lists(st.integers(0, 3_000), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 16), st.integers(0, 60)), max_size=8),
    st.sampled_from(sorted(SCRIPTS)),
    st.integers(12_000, REQUEST_TOKENS),
)
@example([0], [(0, 7, 0), (0, 12, 16), (247, 1, 4)], "en", 12_000)
@example([0], [(0, 1, 0), (0, 12, 16), (245, 4, 1)], "en", 12_000)
def test_no_request_is_larger_than_its_budget(
    texts: list[int], rounds: list[tuple[int, int, int]], script: str, limit: int
) -> None:
    words = SCRIPTS[script]
    said = TextContent(role="user", texts=tuple(f"[Yuki | 12:00] {words * times}" for times in texts))
    made = [
        content
        for arguments, results, times in rounds
        for content in (called(words * arguments), found(words, results=results, times=times))
    ]

    assert size_of(cut(said, *made, limit=limit)) <= limit


def test_the_parts_fit_beside_each_other_in_an_ordinary_turn() -> None:
    assert HISTORY_TOKENS * 4 <= REQUEST_TOKENS
