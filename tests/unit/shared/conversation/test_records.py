import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shared.conversation.amendment_events import AmendmentEvent, AmendmentKind
from shared.conversation.amendment_fold import AmendmentFold, FoldedEvent
from shared.conversation.amendment_records import EditedWords, MadeOfMessage, Watermark
from shared.conversation.media import MediumLabel
from shared.conversation.numbering import Numbered
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import (
    Audit,
    Erasure,
    MessageRecord,
    Offer,
    OutcomeKind,
    OutcomeRecord,
    ProposedCall,
    SaidReminder,
    StagedWrite,
    outcome_of,
    provenance_of,
)
from shared.conversation.segments import decode_segment, encode_segment
from shared.conversation.snapshot_records import ArchivedAnswer, Recap, Segment, SnapshotRecord
from shared.conversation.spending import Spending
from shared.conversation.turn import Route, TurnRecord
from shared.errors import CorruptRecordError
from shared.line.messaging import ReplyToken
from shared.metering import ModelUsage, Purpose
from shared.storage.codec import decode, encode
from tests.support import schemas
from tests.support.chats import made_of, message

IDS = st.from_regex(r"[0-9A-Za-z_-]{1,64}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
TOKENS = st.none() | st.builds(ReplyToken, value=TEXTS, received_ms=st.integers(0, 2**42))
MESSAGES = st.builds(
    MessageRecord,
    line_message_id=IDS,
    webhook_event_id=IDS,
    timestamp_ms=st.integers(0, 2**42),
    type=TEXTS,
    addressed=st.booleans(),
    text=TEXTS,
    user_id=st.none() | TEXTS,
    reply_token=TOKENS,
    presses=st.none() | IDS,
    quoted_message_id=st.none() | IDS,
    quote_token=st.none() | TEXTS,
    image_set_id=st.none() | IDS,
    image_set_size=st.integers(0, 20),
    is_described=st.booleans(),
)
USAGES = st.builds(
    ModelUsage,
    purpose=st.sampled_from(Purpose),
    model_name=TEXTS,
    requests=st.integers(1, 99),
    prompt_tokens=st.integers(0, 2**31),
    output_tokens=st.integers(0, 2**31),
)
INTERVALS = {name: st.integers(0, 2**42) for name in ("since_ms", "until_ms", "entries_since_ms")}
SOURCES = st.lists(
    IDS.map(lambda some_id: Source(line_message_id=some_id, timestamp_ms=len(some_id), by=some_id[0])), max_size=3
)
DERIVED_IDS = st.frozensets(IDS.map(lambda some_id: f"recap-{some_id}"), max_size=3)
PROVENANCES = st.builds(
    lambda sources, derived_ids, interval: Provenance(
        messages=Provenance.of_sources(sources).messages, derived_ids=derived_ids, **interval
    ),
    SOURCES,
    DERIVED_IDS,
    st.fixed_dictionaries(INTERVALS),
)
OFFERS = st.builds(
    Offer,
    is_deferral=st.booleans(),
    asks=st.none() | st.sampled_from(Erasure),
    asked_by=st.none() | IDS,
    forgets=st.lists(IDS, max_size=3).map(tuple),
    forgets_for=st.none() | TEXTS,
    proposes=st.lists(st.builds(ProposedCall, tool=TEXTS, arguments=TEXTS, name=TEXTS), max_size=2).map(tuple),
    suggests=st.lists(TEXTS, max_size=4).map(tuple),
    card=TEXTS,
)
AUDITS = st.builds(
    Audit,
    model_name=st.none() | TEXTS,
    prompt_version=st.none() | TEXTS,
    tools_used=st.lists(TEXTS, max_size=3).map(tuple),
    skip_kind=st.none() | TEXTS,
    filed_paths=st.lists(TEXTS, max_size=2).map(tuple),
    filed_confidence=st.none() | st.floats(0, 1),
    isolates=st.booleans(),
    is_over_limit=st.booleans(),
    usage=st.lists(USAGES, max_size=3).map(tuple),
)
OUTCOMES = st.builds(
    OutcomeRecord,
    webhook_event_id=IDS,
    timestamp_ms=st.integers(0, 2**42),
    sequence=st.integers(0, 2**42),
    kind=st.sampled_from(OutcomeKind),
    answered_ids=st.lists(IDS, max_size=3).map(tuple),
    answers=st.lists(IDS, max_size=3).map(tuple),
    provenance=PROVENANCES,
    text=st.none() | TEXTS,
    quote_token=st.none() | TEXTS,
    is_joining=st.booleans(),
    reminders=st.lists(st.builds(SaidReminder, id=IDS, occurrence_ms=st.integers(0, 2**42)), max_size=3).map(tuple),
    writes=st.lists(st.builds(StagedWrite, path=TEXTS, text=st.none() | TEXTS), max_size=3).map(tuple),
    offer=OFFERS,
    sent_message_ids=st.lists(IDS, max_size=3).map(tuple),
    audit=AUDITS,
)
TURNS = st.builds(
    TurnRecord,
    state=st.sampled_from(["idle", "thinking", "committed"]),
    writer=IDS,
    holder=IDS,
    expires_ms=st.integers(0, 2**42),
    tries=st.integers(0, 5),
    epoch=st.integers(0, 9),
    covered=st.dictionaries(IDS, st.integers(0, 2**42), max_size=3),
    outcome=st.none() | OUTCOMES,
    sequence=st.integers(0, 2**42),
    route=st.builds(
        Route,
        kind=st.sampled_from(["none", "token", "push"]),
        reply_token=TOKENS,
    ),
    spending=st.builds(
        Spending,
        day=st.just("") | st.dates().map(str),
        turns=st.integers(0, 2**30),
        tokens=st.integers(0, 2**42),
        is_reserved=st.booleans(),
        was_told=st.booleans(),
    ),
)
AMENDMENTS = st.builds(
    AmendmentEvent,
    kind=st.sampled_from(AmendmentKind),
    id=IDS,
    timestamp_ms=st.integers(0, 2**42),
    by=st.none() | st.from_regex(r"member-[0-9a-f]{32}", fullmatch=True),
    withdrawn_ids=st.lists(IDS, max_size=3).map(tuple),
    redacted_ids=st.lists(IDS, max_size=3).map(tuple),
    cleared_ids=st.lists(IDS, max_size=3).map(tuple),
)

FOLDS = st.builds(
    AmendmentFold,
    events=st.lists(st.builds(FoldedEvent, name=IDS, event=AMENDMENTS), max_size=3).map(tuple),
)

MADE = st.builds(
    MadeOfMessage,
    notes=st.lists(TEXTS, max_size=2).map(tuple),
    reminders=st.lists(IDS, max_size=2).map(tuple),
    is_one_note=st.booleans(),
)
EDITED_WORDS = st.builds(EditedWords, timestamp_ms=st.integers(0, 2**42), text=st.none() | TEXTS, made=MADE)

SNAPSHOTS = st.builds(
    SnapshotRecord,
    messages=st.lists(MESSAGES, max_size=2).map(tuple),
    outcomes=st.lists(OUTCOMES, max_size=2).map(tuple),
    recaps=st.lists(
        st.builds(
            Recap,
            text=TEXTS,
            summed_up_ids=st.lists(IDS, max_size=3).map(tuple),
            timestamp_ms=st.integers(0, 2**42),
            provenance=PROVENANCES,
            id=st.just("") | IDS,
        ),
        max_size=2,
    ).map(tuple),
    numbered=st.builds(Numbered.of, st.dictionaries(IDS, PROVENANCES, max_size=3)),
    recaps_written=st.integers(0, 99),
)
SEGMENTS = st.builds(
    Segment,
    messages=st.lists(MESSAGES, max_size=2).map(tuple),
    answers=st.lists(
        st.builds(
            ArchivedAnswer,
            webhook_event_id=IDS,
            timestamp_ms=st.integers(0, 2**42),
            kind=st.sampled_from(OutcomeKind),
            text=st.none() | TEXTS,
            answered_ids=st.lists(IDS, max_size=3).map(tuple),
            provenance=PROVENANCES,
            model_name=st.none() | TEXTS,
        ),
        max_size=3,
        unique_by=lambda outcome: outcome.webhook_event_id,
    ).map(tuple),
)
WATERMARKS = st.builds(Watermark, timestamp_ms=st.integers(0, 2**42), entries_ms=st.integers(-1, 2**42))


@given(MESSAGES)
def test_a_message_is_read_as_it_was_written(record: MessageRecord) -> None:
    assert decode(MessageRecord, encode(record)) == record
    schemas.validator("records/message").validate(json.loads(encode(record)))


@given(OUTCOMES)
def test_an_outcome_is_read_as_it_was_written(record: OutcomeRecord) -> None:
    assert decode(OutcomeRecord, encode(record)) == record
    schemas.validator("records/outcome").validate(json.loads(encode(record)))


@given(TURNS)
def test_a_turn_is_read_as_it_was_written(record: TurnRecord) -> None:
    assert decode(TurnRecord, encode(record)) == record
    schemas.validator("records/turn").validate(json.loads(encode(record)))


@given(AMENDMENTS)
def test_an_amendment_is_read_as_it_was_written(record: AmendmentEvent) -> None:
    assert decode(AmendmentEvent, encode(record)) == record
    schemas.validator("records/amendment").validate(json.loads(encode(record)))


@given(FOLDS)
def test_a_fold_of_amendments_is_read_as_it_was_written(record: AmendmentFold) -> None:
    assert decode(AmendmentFold, encode(record)) == record
    schemas.validator("records/amendment-fold").validate(json.loads(encode(record)))


@given(EDITED_WORDS)
def test_edited_words_are_read_as_they_were_written(record: EditedWords) -> None:
    assert decode(EditedWords, encode(record)) == record
    schemas.validator("records/edited-words").validate(json.loads(encode(record)))


@given(SNAPSHOTS)
def test_a_snapshot_is_read_as_it_was_written(record: SnapshotRecord) -> None:
    assert decode(SnapshotRecord, encode(record)) == record
    schemas.validator("records/snapshot").validate(json.loads(encode(record)))


@given(SEGMENTS)
def test_a_segment_is_read_as_it_was_written(record: Segment) -> None:
    stored = encode_segment(record)

    read = decode_segment(stored)
    assert read == record
    schemas.validator("records/segment").validate(json.loads(stored))


@given(WATERMARKS)
def test_a_watermark_is_read_as_it_was_written(record: Watermark) -> None:
    assert decode(Watermark, encode(record)) == record
    schemas.validator("records/watermark").validate(json.loads(encode(record)))


@given(
    st.builds(
        MediumLabel,
        timestamp_ms=st.integers(0, 2**42),
        content_type=TEXTS,
        size_bytes=st.integers(0, 2**42),
    )
)
def test_a_label_is_read_as_it_was_written(record: MediumLabel) -> None:
    assert decode(MediumLabel, encode(record)) == record
    schemas.validator("records/medium").validate(json.loads(encode(record)))


@given(
    MESSAGES,
    st.sampled_from(["line_message_id", "timestamp_ms", "text", "addressed"]),
    st.none() | st.integers() | st.lists(st.integers()),
)
def test_a_field_of_a_wrong_type_is_corrupt_or_harmless(record: MessageRecord, name: str, value: object) -> None:
    changed = json.dumps({**json.loads(encode(record)), name: value}).encode()

    try:
        decode(MessageRecord, changed)
    except CorruptRecordError:
        return
    assert name == "timestamp_ms"
    assert isinstance(value, int)


@given(MESSAGES, MESSAGES)
def test_a_redelivery_brings_its_later_token_to_a_message_that_has_one(
    record: MessageRecord, delivered: MessageRecord
) -> None:
    tokens = [one.reply_token for one in (record, delivered) if one.reply_token is not None]
    newest = max(tokens, key=lambda token: token.received_ms) if len(tokens) == 2 else record.reply_token

    assert record.refreshed_by(delivered) == replace(record, reply_token=newest)


def test_words_of_people_are_not_in_the_repr() -> None:
    record = OutcomeRecord(
        webhook_event_id="e",
        timestamp_ms=1,
        kind=OutcomeKind.REPLIED,
        provenance=made_of(),
        text="your pin is 4711",
        writes=(StagedWrite(path="ideas/4711.md", text="4711"),),
        audit=Audit(filed_paths=("ideas/4711.md",)),
    )

    assert "4711" not in repr(record)


def test_words_are_as_old_as_their_last_edit() -> None:
    assert [replace(message(5), edited_ms=edited_ms).words_ms for edited_ms in (0, 9)] == [5, 9]


def test_the_provenance_of_messages_spans_their_timestamps() -> None:
    provenance = provenance_of([message(5), message(3), message(9)])

    assert (provenance.ids, provenance.since_ms, provenance.until_ms) == (frozenset({"m3", "m5", "m9"}), 3, 9)


def test_an_outcome_quotes_the_newest_question_that_can_be_quoted() -> None:
    asked = (message(1), replace(message(2), quote_token="q2"), replace(message(3), quote_token="q3"), message(4))

    outcome = outcome_of(asked, OutcomeKind.SKIPPED)

    assert (
        outcome.quote_token,
        outcome.webhook_event_id,
        outcome.provenance.since_ms,
        outcome.provenance.until_ms,
    ) == ("q3", "e4", 1, 4)
    assert outcome_of(asked[:1], OutcomeKind.SKIPPED).quote_token is None


def test_a_recap_is_named_by_its_own_id_or_else_by_its_sources() -> None:
    recap = Recap(
        id="recap-1",
        text="r",
        timestamp_ms=2,
        summed_up_ids=("m1", "m2"),
        provenance=made_of("m1", "m2", since_ms=1, until_ms=2),
    )

    assert recap.as_source.ids == {"recap-1"}
    assert recap.as_source.since_ms == 1
    assert replace(recap, id="").as_source.ids == {"m1", "m2"}


def test_outcome_of_an_earlier_release_has_no_usage() -> None:
    stored = json.loads(encode(outcome_of([message(1)], OutcomeKind.SKIPPED)))
    del stored["audit"]["usage"]

    assert decode(OutcomeRecord, json.dumps(stored).encode()).audit.usage == ()


def test_a_message_without_a_token_cannot_be_answered() -> None:
    assert message(1, addressed=False).reply_token is None
    assert message(1).reply_token == ReplyToken(value="t1", received_ms=1)


def test_an_outcome_names_the_entries_that_it_filed() -> None:
    outcome = outcome_of([message(1)], OutcomeKind.REPLIED)
    older = replace(outcome, audit=Audit(filed_paths=("ideas/a.md",)))
    several = replace(older, audit=Audit(filed_paths=("ideas/b.md", "ideas/a.md")))

    assert [one.audit.filed_paths for one in (outcome, older, several)] == [
        (),
        ("ideas/a.md",),
        ("ideas/b.md", "ideas/a.md"),
    ]
    assert [one.holds_words for one in (outcome, older, several)] == [False, True, True]
    assert several.words == ("b", "a")
