"""Scenes of translation: beside questions, on tokens of its own, under workers that die, and under withdrawals."""

from collections.abc import Callable
from typing import Final, TypeAlias

from shared.access.budgets import Limits
from shared.conversation.records import OutcomeKind
from shared.hooks.hook import HookMode
from shared.line.addressing import GroupPolicy
from shared.line.postback_data import TranslationChoice, TranslationPress
from shared.storage.codec import decode
from shared.translation.setting import TranslationSetting
from tests.simulation.bus import TICK_S, Delivery
from tests.simulation.hooks import make_hook, notice_to
from tests.simulation.people import GROUP, MEMBERS, Message, Order
from tests.simulation.scene import MINUTE_S, Scene
from tests.simulation.times import SKEW_S
from tests.simulation.translation import GREETS, begin_translation, setting_name

PlayScene: TypeAlias = Callable[[], list[str]]

_LEASE_S: Final = 26.0
_PIECES: Final = 4
_DEATHS: Final = 3
_DEAD_S: Final = 70.0
"""By then a token is surely dead."""


def _scene(*, seed: int = 0, is_for_all: bool = True, **more: object) -> Scene:
    scene = Scene(seed=seed, group=True, has_translation=True, **more)  # type: ignore[arg-type]
    begin_translation(scene.world, GROUP, is_for_all=is_for_all)
    return scene


def _writes(scene: Scene, *, by: str | None = None) -> Message:
    return scene.says(addressed=False, verb=GREETS, by=by)


def _delivered(scene: Scene, *, by: str | None = None) -> Delivery:
    return scene.delivers(_writes(scene, by=by))


def translation_beside_a_question(seed: int = 0) -> list[str]:
    """Members write to each other while one asks the bot, all at once, one message twice, on instances and in an order by seed."""
    with _scene(seed=seed, seconds=1.0).playing() as scene:
        rng = scene.world.rng
        messages = [_writes(scene), _writes(scene), scene.says()]
        deliveries = [scene.delivers(message) for message in (*messages, rng.choice(messages))]
        rng.shuffle(deliveries)
        for delivery in deliveries:
            scene.pushes(delivery, instance=rng.randrange(3))
            scene.runs(seconds=rng.choice((0.0, 0.05, 0.3, 1.1)))
        return scene.rests(calm=True)


def waits_in_a_stream(messages: int, *, apart_s: float) -> list[float]:
    """Members write to each other, about `apart_s` apart; return for each message the seconds until its translation was sent.

    The model takes a second, and each call of the bucket 30 ms.
    """
    with _scene(seed=1, seconds=1.0, even_call_s=0.03).playing() as scene:
        sent_s = {}
        for number in range(messages):
            message = _writes(scene, by=MEMBERS[number % len(MEMBERS)])
            sent_s[message.id] = scene.world.now_s
            scene.pushes(scene.delivers(message))
            scene.runs(seconds=apart_s * scene.world.rng.uniform(0.5, 1.5))
        scene.rests()
        return [
            said.at_s - sent_s[bubble.line_message_id]
            for said in scene.world.truth.said
            if said.outcome is not None and said.outcome.translations is not None
            for bubble in said.outcome.translations.bubbles
        ]


def question_after_translations_whose_workers_died() -> list[str]:
    """Three workers die while they translate what members write, a minute apart; then a member asks the bot, and is answered."""
    with _scene().playing() as scene:
        for _ in range(_DEATHS):
            worker = scene.pushes(_delivered(scene))
            scene.runs_until(worker, "model")
            scene.dies(worker)
            scene.sleeps(MINUTE_S)
        scene.runs_to_end(scene.asks())
        is_answered = any(one.outcome and one.outcome.kind is OutcomeKind.REPLIED for one in scene.world.truth.said)
        return [*([] if is_answered else ["I6: a question met an apology for a translation"]), *scene.rests()]


def translation_whose_worker_dies_after_it_spoke() -> list[str]:
    """The worker dies after LINE took the translation, before that is recorded; the message comes again."""
    with _scene().playing() as scene:
        message = _writes(scene)
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, f"write journal/{GROUP}/event-1.outcome")
        scene.dies(worker)
        scene.sleeps(_LEASE_S)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()


def translation_that_comes_again() -> list[str]:
    """A message was translated, and is delivered again with a fresh token; then another one comes."""
    with _scene().playing() as scene:
        message = _writes(scene)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.sleeps(1)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.pushes(_delivered(scene)))
        return scene.rests(calm=True)


def translation_after_its_token() -> list[str]:
    """A worker dies over a message, whose token is dead before the next one comes; both are translated on the token of the next."""
    with _scene().playing() as scene:
        missed = _writes(scene)
        worker = scene.pushes(scene.delivers(missed))
        scene.runs_until(worker, "model")
        scene.dies(worker)
        scene.sleeps(_DEAD_S)
        scene.runs_to_end(scene.pushes(_delivered(scene)))
        outcomes = [said.outcome for said in scene.world.truth.said if said.outcome is not None]
        bubbles = [bubble for one in outcomes if one.translations is not None for bubble in one.translations.bubbles]
        is_translated = any(bubble.line_message_id == missed.id for bubble in bubbles)
        return [*([] if is_translated else [f"I6: {missed.id}, whose token died, stays untranslated"]), *scene.rests()]


def translation_that_comes_late_in_a_flood() -> list[str]:
    """A message is delivered when its token is dead; the first of the two that follow brings its translation, too."""
    with _scene(a_minute=1).playing() as scene:
        late = _delivered(scene)
        scene.sleeps(_DEAD_S + 2 * SKEW_S)
        scene.runs_to_end(scene.pushes(late))
        for _ in range(2):
            scene.runs_to_end(scene.pushes(_delivered(scene)))
        return scene.rests(calm=True)


def translation_under_an_unsend() -> list[str]:
    """The message is withdrawn while the model translates it."""
    with _scene().playing() as scene:
        message = _writes(scene)
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "model")
        scene.takes_effect(scene.takes_back(message))
        scene.runs_to_end(worker)
        return scene.rests()


def translation_after_an_unsend_of_its_context() -> list[str]:
    """What was written before is withdrawn; then another message, whose prompt showed it, is translated."""
    with _scene().playing() as scene:
        earlier = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(earlier)))
        scene.takes_effect(scene.takes_back(earlier))
        scene.runs_to_end(scene.pushes(_delivered(scene)))
        return scene.rests(calm=True)


def translation_of_an_edited_message() -> list[str]:
    """A message is edited before it is delivered; its newest words are translated."""
    with _scene().playing() as scene:
        message = _writes(scene)
        delivery = scene.delivers(message)
        scene.sleeps(1)
        scene.runs_to_end(scene.edits(message))
        scene.sleeps(TICK_S / 2)
        scene.runs_to_end(scene.pushes(delivery))
        return scene.rests()


def edit_of_a_translated_message() -> list[str]:
    """A translated message is edited, and LINE delivers the edit twice; its new words are translated, on the token of the edit, once."""
    with _scene().playing() as scene:
        message = _writes(scene)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.sleeps(1)
        at_s = scene.world.now_s
        event = scene.stage.people.edit(message, at_s=at_s, has_token=True)
        for instance in range(2):
            scene.runs_to_end(scene.pushes(scene.stage.edit(message, event, at_s=at_s), instance=instance))
        met = scene.rests(calm=True)
        shown = sum(message.words[-1][0] in text for text in scene.said)
        return [*met, *([] if shown == 1 else [f"I6: the new words of {message.id} were translated {shown} times"])]


def edit_while_its_translation_is_sent() -> list[str]:
    """An edit is translated when the message is withdrawn; and one that an edit with the same words overtakes."""
    with _scene().playing() as scene:
        message = _writes(scene)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.sleeps(1)
        worker = scene.pushes(scene.delivers_edit(message, has_token=True))
        scene.runs_until(worker, "model")
        scene.takes_effect(scene.takes_back(message))
        scene.runs_to_end(worker)
        return scene.rests()


def translation_with_a_notice() -> list[str]:
    """A notice waits when a member writes what is translated; the notice goes with the next answer, and no token is used twice."""
    with _scene(has_hooks=True).playing() as scene:
        hook_id = make_hook(scene.world, GROUP, number=1, mode=HookMode.NEXT)
        scene.runs_to_end(scene.pushes(notice_to(scene.world, GROUP, hook_id, number=1)))
        message = _writes(scene)
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.asks())
        return scene.rests(calm=True)


def translation_where_the_model_interjects() -> list[str]:
    """The model may interject; what is translated is none of that."""
    with _scene(group_policy=GroupPolicy.MODEL).playing() as scene:
        scene.sleeps(TICK_S)
        scene.runs_to_end(scene.pushes(_delivered(scene)))
        scene.sleeps(TICK_S)
        scene.runs_to_end(scene.pushes(_delivered(scene)))
        return scene.rests(calm=True)


def translations_that_fill_the_waiting_room() -> list[str]:
    """A command waits for the answer to a question, and members write more to each other than may wait."""
    with _scene(seconds=6.0).playing() as scene:
        first = scene.asks(instance=0, by=MEMBERS[0])
        scene.runs_until(first, "model")
        scene.pushes(scene.delivers_order(scene.commands("id")), instance=1)
        scene.runs(seconds=0.5)
        for _ in range(2 * _PIECES):
            scene.pushes(_delivered(scene, by=MEMBERS[0]), instance=1)
            scene.runs(seconds=0.1)
        return scene.rests(calm=True)


def translation_of_one_member_alone() -> list[str]:
    """Until a second member confirms, only messages of the member who asked are translated."""
    with _scene(is_for_all=False).playing() as scene:
        scene.runs_to_end(scene.pushes(_delivered(scene, by=MEMBERS[0])))
        scene.runs_to_end(scene.pushes(_delivered(scene, by=MEMBERS[1])))
        return scene.rests(calm=True)


def translations_beyond_half_of_the_day() -> list[str]:
    """Half of the chat's turns went to translation; one text says so, and questions are still answered."""
    budget = Limits(turns_per_chat_day=_PIECES, tokens_per_chat_day=0, tokens_per_day=0)
    with _scene(budget=budget).playing() as scene:
        for _ in range(_PIECES + 1):
            scene.runs_to_end(scene.pushes(_delivered(scene)))
        for _ in range(_PIECES // 2):
            scene.runs_to_end(scene.asks())
        met = [one for one in scene.rests() if not one.startswith("I6: m")]
        answers = sum(text.startswith("re") for text in scene.said)
        return [*met, *([] if answers == _PIECES // 2 else ["I6: translations used up what questions need"])]


def _setting(scene: Scene) -> TranslationSetting:
    stored = scene.world.objects.read(setting_name(GROUP))
    assert stored is not None
    return decode(TranslationSetting, stored.data)


def _pressed(scene: Scene, choice: TranslationChoice, *, by: str) -> Delivery:
    """A member presses a button on the card of what is on, as it was when translation began."""
    press = TranslationPress(choice=choice, changed_ms=_setting(scene).since_ms)
    return scene.delivers_order(scene.stage.people.press_listed(press.data, at_s=scene.world.now_s, by=by))


def _asked_to_keep(scene: Scene) -> tuple[Message, Order]:
    """A member asks to keep a word as it is; return the message, and a press of the button below the answer, not delivered yet."""
    message = scene.says(verb="keep")
    scene.runs_to_end(scene.pushes(scene.delivers(message)))
    scene.sleeps(1)
    button = next(said.button for said in reversed(scene.world.truth.said) if said.button is not None)
    return message, scene.stage.people.keep(button or "", at_s=scene.world.now_s)


def word_that_is_taken_back() -> list[str]:
    """A word is kept by a press, whose worker dies and which LINE delivers again; then the message that named the word is withdrawn."""
    with _scene().playing() as scene:
        message, press = _asked_to_keep(scene)
        delivery = scene.delivers_order(press)
        worker = scene.pushes(delivery)
        scene.runs_until(worker, f"write {setting_name(GROUP)}")
        scene.dies(worker)
        scene.sleeps(_LEASE_S)
        scene.runs_to_end(scene.pushes(delivery))
        kept = _setting(scene).terms
        scene.sleeps(1)
        scene.takes_back(message)
        found = scene.rests()
        return [*found, *([] if kept else ["I6: a word was not kept although a member pressed for it"])]


def word_that_is_taken_back_under_its_press() -> list[str]:
    """The message that names a word is withdrawn while a press keeps the word."""
    with _scene().playing() as scene:
        message, press = _asked_to_keep(scene)
        worker = scene.pushes(scene.delivers_order(press))
        scene.runs_until(worker, f"read {setting_name(GROUP)}")
        scene.takes_back(message)
        return scene.rests()


def switch_that_only_its_asker_presses() -> list[str]:
    """The member who asked presses for everybody, twice; then what another member writes is left alone."""
    with _scene(is_for_all=False).playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("settings"))))
        for _ in range(2):
            scene.runs_to_end(scene.pushes(_pressed(scene, TranslationChoice.JOIN, by=MEMBERS[0])))
        scene.runs_to_end(scene.pushes(_delivered(scene, by=MEMBERS[1])))
        return scene.rests(calm=True)


def switch_that_ends_it() -> list[str]:
    """A member presses to end translation, and another card of before is pressed for everybody."""
    with _scene(is_for_all=False).playing() as scene:
        ending = _pressed(scene, TranslationChoice.END, by=MEMBERS[1])
        joining = _pressed(scene, TranslationChoice.JOIN, by=MEMBERS[1])
        for delivery in (ending, joining):
            scene.runs_to_end(scene.pushes(delivery))
            scene.sleeps(1)
        return scene.rests(calm=True)


def switches_whose_worker_dies() -> list[str]:
    """Another member joins, and the worker dies before it says so; then translation is ended, twice, and an old card is pressed."""
    with _scene(is_for_all=False).playing() as scene:
        joining = _pressed(scene, TranslationChoice.JOIN, by=MEMBERS[1])
        worker = scene.pushes(joining)
        scene.runs_until(worker, "read turns/")
        scene.dies(worker)
        scene.sleeps(_LEASE_S)
        scene.runs_to_end(scene.pushes(joining))
        scene.sleeps(1)
        for choice in (TranslationChoice.END, TranslationChoice.END, TranslationChoice.JOIN):
            scene.runs_to_end(scene.pushes(_pressed(scene, choice, by=MEMBERS[1])))
            scene.sleeps(1)
        return scene.rests()


def notice_after_an_interjection() -> list[str]:
    """The model interjects about a message; then a notice comes, and the message again."""
    with Scene(group=True, has_hooks=True, group_policy=GroupPolicy.MODEL).playing() as scene:
        hook_id = make_hook(scene.world, GROUP, number=1, mode=HookMode.NEXT)
        scene.sleeps(TICK_S)
        message = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.pushes(notice_to(scene.world, GROUP, hook_id, number=1)))
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(scene.asks())
        return scene.rests(calm=True)
