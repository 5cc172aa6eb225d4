"""Which messages a setting covers, by LINE's timestamps alone, in whatever order its presses come."""

import itertools
from dataclasses import replace

from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Source
from shared.translation.setting import Term, TranslationSetting
from tests.support.chats import message

YUKI, KEN = "U" + "1" * 32, "U" + "2" * 32
ON = TranslationSetting().switched_on(("ja", "th"), by=mark_id(YUKI), at_ms=1_000, is_for_all=False)


def named(text: str, line_message_id: str, *, at_ms: int) -> Term:
    return Term(text=text, source=Source(line_message_id=line_message_id, timestamp_ms=at_ms, by=mark_id(KEN)))


def covers(setting: TranslationSetting, user_id: str, at_ms: int, *, addressed: bool = False) -> bool:
    return setting.covers(replace(message(1, addressed=addressed, timestamp_ms=at_ms), user_id=user_id))


def test_messages_of_the_member_who_asked_count_from_the_press_on() -> None:
    assert not covers(ON, YUKI, 1_000)
    assert covers(ON, YUKI, 1_001)
    assert not covers(ON, KEN, 1_001)
    assert not covers(ON, YUKI, 1_001, addressed=True)


def test_messages_of_everybody_count_from_the_second_members_press_on() -> None:
    joined = ON.joined(at_ms=2_000)

    assert not covers(joined, KEN, 2_000)
    assert covers(joined, KEN, 2_001)
    assert covers(joined, YUKI, 1_500)
    assert joined.joined(at_ms=9_000) == joined


def test_presses_decide_by_their_timestamps_in_any_order() -> None:
    changes = (
        lambda one: one.switched_on(("ja", "th"), by=mark_id(YUKI), at_ms=1_000, is_for_all=True),
        lambda one: one.switched_off(at_ms=2_000),
        lambda one: one.switched_on(("en", "vi"), by=mark_id(KEN), at_ms=3_000, is_for_all=True),
    )

    for order in itertools.permutations(changes):
        setting = TranslationSetting()
        for change in order:
            setting = change(setting)  # type: ignore[no-untyped-call]

        assert (setting.languages, setting.all_since_ms) == (("en", "vi"), 3_000)


def test_an_erasure_takes_the_setting_and_a_member_who_takes_everything_back_ends_it() -> None:
    assert ON.without_withdrawn(Amendments(erased_entries_ms=1_000)) is None
    assert ON.without_withdrawn(Amendments(erased_entries_ms=999)) == ON

    forgotten = Amendments(members={mark_id(YUKI): 5_000})
    ended, goes_on = ON.without_withdrawn(forgotten), ON.joined(at_ms=2_000).without_withdrawn(forgotten)
    assert ended is not None
    assert not ended.is_on
    assert goes_on is not None
    assert (goes_on.is_for_all, goes_on.by) == (True, "")


def test_a_term_goes_with_the_command_that_named_it() -> None:
    terms = tuple(
        Term(text=text, source=Source(line_message_id=own_id, timestamp_ms=1_500, by=mark_id(KEN)))
        for text, own_id in (("Momo", "m7"), ("Aizuchi", "m8"))
    )
    setting = replace(ON, terms=terms)

    remaining = setting.without_withdrawn(Amendments(withdrawn=frozenset({"m7"})))
    assert remaining is not None
    assert [term.text for term in remaining.terms] == ["Aizuchi"]
    without_ken = setting.without_withdrawn(Amendments(members={mark_id(KEN): 1_500}))
    assert without_ken is not None
    assert (without_ken.terms, without_ken.is_on) == ((), True)


def test_a_term_that_was_named_before_translation_was_begun_stays() -> None:
    setting = TranslationSetting(terms=(named("Momo", "m7", at_ms=500),))

    assert setting.without_withdrawn(Amendments()) == setting
    assert setting.without_withdrawn(Amendments(withdrawn=frozenset({"m7"}))) is None


def test_of_an_erased_setting_the_terms_stay_that_were_named_later() -> None:
    setting = replace(ON, terms=(named("Momo", "m7", at_ms=1_500), named("Aizuchi", "m8", at_ms=2_500)))

    remaining = setting.without_withdrawn(Amendments(erased_ms=2_000, erased_entries_ms=2_000))

    assert remaining == TranslationSetting(terms=setting.terms[1:])
