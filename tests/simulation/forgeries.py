"""Schedules whose record is forged after they were played: one for each sentence of the checks that no slip of the table prints first.

A forgery does what a defect would have done: it changes an object of the bucket, or what the people saw, or writes past the product.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from shared.access.budgets import Limits
from shared.adapters.memory.object_store import WriteLimitError
from shared.composition.ports import Options
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.spending import Spending
from shared.conversation.turn import TurnRecord
from shared.knowledge.catalog import Catalog
from shared.line.addressing import GroupPolicy
from shared.line.messaging import OutgoingMessage, ReplyFate, ReplyToken
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import AnswerButton, AnswerPress, ConfirmPress, SparePress
from shared.storage.codec import decode, encode
from shared.storage.object_names import is_entry_path
from shared.turns.deferral import LateReply
from tests.simulation import scene as scenery
from tests.simulation.bucket import Bucket
from tests.simulation.bus import ACK_DEADLINE_S
from tests.simulation.holders import Holders
from tests.simulation.people import PERSON
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Process
from tests.simulation.tap_scenes import tap_of_another_button
from tests.simulation.threads import replaced
from tests.simulation.times import LEASE_S
from tests.simulation.world import ShownText

_SLOW_S: Final = 26.0
_MANY: Final = 99
_TOO_LATE_S: Final = 700.0
_LIMIT: Final = phrase(Phrase.LIMIT_REACHED, locale=Options().locale, bot_name="", hour="0時")


def told_twice_to_wait() -> list[str]:
    with Scene(seconds=_SLOW_S).playing() as scene:
        delivery = scene.delivers(scene.says())
        scene.sleeps(30)
        scene.runs_to_end(scene.pushes(delivery))
        return _shown_twice(scene)


def greeted_twice() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.pushes(scene.bot_joins()))
        return _shown_twice(scene)


def greeting_that_nobody_saw() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.pushes(scene.bot_joins()))
        scene.world.truth.said.clear()
        return scene.rests(calm=True)


def greeting_that_left_no_outcome() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.pushes(scene.bot_joins()))
        _delete(scene, "journal/")
        return scene.rests()


def command_that_is_answered_twice() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("help"))))
        return _shown_twice(scene)


def command_that_nobody_saw_answered() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers_order(scene.commands("help"))))
        scene.world.truth.said.clear()
        return scene.rests(calm=True)


def press_of_a_button_that_never_was() -> list[str]:
    with Scene().playing() as scene:
        press = scene.stage.people.confirm(ConfirmPress(question_id="event-99").data, at_s=scene.world.now_s)
        _show(scene, press.reply_token)
        return scene.rests()


def question_that_is_declined_and_carried_out() -> list[str]:
    with Scene().playing() as scene:
        asking = scene.commands("forget")
        scene.runs_to_end(scene.pushes(scene.delivers_order(asking)))
        people, now_s = scene.stage.people, scene.world.now_s
        declined = phrase(Phrase.PRESS_DECLINED, locale=Options().locale, bot_name="")
        _show(scene, people.spare(SparePress(question_id=asking.id).data, at_s=now_s).reply_token, declined)
        _show(scene, people.confirm(ConfirmPress(question_id=asking.id).data, at_s=now_s).reply_token)
        return scene.rests()


def press_of_an_answer_that_meets_silence() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        press = scene.stage.people.press(
            AnswerPress(button=AnswerButton.SHOW, answer_id="event-99").data, at_s=scene.world.now_s
        )
        scene.runs_to_end(scene.pushes(scene.delivers(press)))
        name, objects = f"journal/{PERSON}/{press.id}.outcome.json", scene.world.objects
        stored = objects.read(name)
        assert stored is not None
        objects.delete(name)
        scene.sleeps(2)
        objects.create(name, encode(replace(decode(OutcomeRecord, stored.data), kind=OutcomeKind.SKIPPED)))
        return scene.rests(calm=True)


def press_that_counts_too_late() -> list[str]:
    with Scene().playing() as scene:
        asking = scene.commands("forget")
        scene.sleeps(_TOO_LATE_S)
        press = scene.stage.people.confirm(ConfirmPress(question_id=asking.id).data, at_s=scene.world.now_s)
        _show(scene, press.reply_token)
        return scene.rests()


def answer_in_other_words() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        said = scene.world.truth.said
        said[0] = replace(said[0], text="something else")
        return scene.rests()


def answer_that_history_lost() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        _delete(scene, "journal/")
        return scene.rests()


def flood_that_nobody_answered() -> list[str]:
    with Scene(a_minute=1).playing() as scene:
        message = scene.says()
        for _ in range(2):
            scene.runs_to_end(scene.pushes(scene.delivers(message)))
        _delete(scene, "journal/")
        return scene.rests()


def error_that_was_not_foreseen() -> list[str]:
    with Scene().playing() as scene:

        def fail(token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:  # noqa: ARG001 - as in Line
            raise ZeroDivisionError

        scene.stage.line.reply = fail  # type: ignore[method-assign]
        scene.asks()
        return scene.rests()


def message_that_is_kept_elsewhere() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        _keep(scene, "m99")
        return scene.rests()


def message_that_comes_back() -> list[str]:
    with Scene().playing() as scene:
        message = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.takes_effect(scene.takes_back(message))
        _keep(scene, message.id)
        return scene.rests()


def interjection_that_is_heard_twice() -> list[str]:
    with Scene(group=True, group_policy=GroupPolicy.MODEL).playing() as scene:
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        return _shown_twice(scene)


def interjection_that_files() -> list[str]:
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        scene.stage.people.messages[0].addressed = False
        return scene.rests()


def words_in_a_log_line() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        scene.world.truth.log.write('{"text": "word0a"}\n')
        return scene.rests()


def medium_that_comes_back() -> list[str]:
    with Scene().playing() as scene:
        image = scene.sends_image()
        scene.runs_to_end(scene.pushes(scene.delivers(image)))
        scene.takes_effect(scene.takes_back(image))
        scene.world.objects.create(f"media/{PERSON}/{image.id}", b"bytes")
        return scene.rests()


def page_that_is_gone() -> list[str]:
    with Scene(has_notion=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("page"))
        scene.stage.ports.notion.lose_pages()
        return scene.rests(calm=True)


def entry_that_nobody_staged() -> list[str]:
    return _with_entries(lambda texts: {**texts, "ideas/other.md": next(iter(texts.values()))})


def entry_that_is_gone() -> list[str]:
    return _with_entries(lambda _: {})


def entry_with_other_words() -> list[str]:
    return _with_entries(lambda texts: {path: text.replace(b"word0a", b"word0") for path, text in texts.items()})


def entry_that_repeats_itself() -> list[str]:
    return _with_entries(lambda texts: {path: text + text for path, text in texts.items()})


def vector_of_other_words() -> list[str]:
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        objects, name = scene.world.objects, f"entries/{PERSON}/search.json"
        stored = objects.read(name)
        assert stored is not None
        catalog = decode(Catalog, stored.data)
        rows = tuple(replace(one, vector="of other words") for one in catalog.rows)
        scene.sleeps(2)
        assert objects.replace(name, encode(replace(catalog, rows=rows)), generation=stored.generation)
        return scene.rests()


def commit_to_an_idle_turn() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        committed = TurnRecord(state="committed", outcome=scene.world.truth.said[0].outcome)
        watch = scene.stage.ports.holders.watch
        _in_a_thread(scene, lambda: watch(PERSON, TurnRecord(), committed, begun_s=scene.world.now_s))
        return scene.rests()


def spending_that_nobody_counts() -> list[str]:
    with Scene().playing() as scene:
        budget = Limits(turns_per_chat_day=1, tokens_per_chat_day=10)
        holders = Holders(scene.world, scene.stage.mood, fence_s=LEASE_S, budget=budget)
        before = TurnRecord(spending=Spending(day="today", turns=1, tokens=50))
        after = TurnRecord(spending=Spending(day="today", turns=2, tokens=20, is_reserved=True))
        _in_a_thread(scene, lambda: holders.watch(PERSON, before, after, begun_s=scene.world.now_s))
        return scene.rests()


def tokens_that_nobody_charges() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_to_end(scene.asks())
        scene.world.truth.tokens[PERSON] += 1
        return scene.rests(calm=True)


def stranger_whose_message_is_thought_about() -> list[str]:
    with Scene().playing() as scene:
        scene.stage.chats[0].is_stranger = True
        scene.world.truth.tokens[PERSON] += 1
        return scene.rests()


def limit_that_was_never_set() -> list[str]:
    with Scene().playing() as scene:
        _show(scene, scene.says().reply_token, _LIMIT)
        return scene.rests()


def limit_that_is_told_again(below: str = "") -> list[str]:
    """First it is told above a receipt; `below`: what the second text has below it."""
    with Scene(budget=Limits(turns_per_chat_day=9)).playing() as scene:
        for text in (f"{_LIMIT} ✓ Added to Notion: “lunch”", f"{_LIMIT}{below}"):
            _show(scene, scene.says().reply_token, text)
        return scene.rests()


def apology_in_a_crowd(
    which: Phrase = Phrase.APOLOGY_BUSY, *, after_s: float = 1.0, messages_read: int = 1
) -> list[str]:
    """Of two messages, of which a turn reads only so many, the second got an apology, so long after it was written."""
    bounds = {"messages_read": messages_read}
    with Scene(first_fails="used up", late_reply=LateReply.DROP, bounds=bounds).playing() as scene:
        scene.runs_to_end(scene.asks())
        scene.sleeps(1)
        asking = scene.says()
        scene.runs_to_end(scene.pushes(scene.delivers(asking)))
        said, objects = scene.world.truth.said, scene.world.objects
        assert said[-1].outcome is not None
        text = phrase(which, locale="en", bot_name="")
        outcome = replace(said[-1].outcome, kind=OutcomeKind.APOLOGISED, text=text)
        said[-1] = replace(said[-1], text=text, outcome=outcome, at_s=asking.at_s + after_s)
        name = f"journal/{PERSON}/{outcome.webhook_event_id}.outcome.json"
        objects.delete(name)
        scene.sleeps(2)
        objects.create(name, encode(outcome))
        return scene.rests(calm=True)


def words_for_another_chat() -> list[str]:
    with Scene(chats=2).playing() as scene:
        message = scene.says(chat=1)
        scene.delivers(message)
        words = [OutgoingMessage(text="for somebody else")]
        _in_a_thread(scene, lambda: scene.stage.line.reply(ReplyToken(value=message.reply_token, received_ms=0), words))
        return scene.stage.violations()


def write_that_is_given_up() -> list[str]:
    with Scene().playing() as scene:
        ports = scene.stage.ports
        scene.world.weather.calm = True

        def refuse(*_: object, **__: object) -> int | None:
            raise WriteLimitError("one write a second a name")

        scene.world.objects.replace = refuse  # type: ignore[method-assign]
        bucket = Bucket(scene.world, ports.holders, ports.withdrawals)
        _in_a_thread(scene, lambda: bucket.create("media/any", b""))
        return scene.stage.violations()


def request_that_outlives_its_deadline() -> list[str]:
    with Scene().playing() as scene:
        scene.runs_until(scene.asks(), "model")
        scene.sleeps(ACK_DEADLINE_S + 1)
        return scene.rests()


def turn_that_is_written_without_a_pause() -> list[str]:
    with Scene().playing() as scene:
        scene.world.most_attempts["turns"] = _MANY
        return scene.rests(calm=True)


def chat_that_is_read_without_a_pause() -> list[str]:
    with Scene().playing() as scene:
        scene.world.most_readings = _MANY
        return scene.rests(calm=True)


def schedule_that_never_rests() -> list[str]:
    with replaced((scenery, "STEPS", 1_000)), Scene().playing() as scene:
        scheduler = scene.world.scheduler

        def again() -> None:
            scheduler.at(scheduler.now_s + 1, again)

        again()
        return scene.rests()


def _shown_twice(scene: Scene) -> list[str]:
    scene.world.truth.said.append(scene.world.truth.said[-1])
    return scene.rests()


def _show(scene: Scene, reply_token: str, text: str = "done") -> None:
    said = ShownText(conversation_id=PERSON, reply_token=reply_token, text=text, at_s=0.0, button=None, outcome=None)
    scene.world.truth.said.append(said)


def _keep(scene: Scene, line_message_id: str) -> None:
    record = MessageRecord(
        line_message_id=line_message_id,
        webhook_event_id="event-99",
        timestamp_ms=1,
        type="text",
        addressed=False,
        text="",
    )
    scene.world.objects.create(f"journal/{PERSON}/{line_message_id}.json", encode(record))


def _delete(scene: Scene, prefix: str) -> None:
    for listed in scene.world.objects.list(prefix):
        scene.world.objects.delete(listed.name)


def _with_entries(forged: Callable[[Mapping[str, bytes]], Mapping[str, bytes]]) -> list[str]:
    """Play a turn that files one entry, and replace the texts of all entries, by path."""
    with Scene(has_knowledge=True).playing() as scene:
        scene.runs_to_end(scene.asks_for("file"))
        objects, prefix = scene.world.objects, f"entries/{PERSON}/"
        names = [one.name for one in objects.list(prefix) if is_entry_path(one.name.removeprefix(prefix))]
        texts = {name.removeprefix(prefix): stored.data for name in names if (stored := objects.read(name)) is not None}
        assert texts
        for name in names:
            objects.delete(name)
        scene.sleeps(2)
        for path, text in forged(texts).items():
            objects.create(f"{prefix}{path}", text)
        return scene.rests()


def _in_a_thread(scene: Scene, work: Callable[[], object]) -> None:
    scheduler, process = scene.world.scheduler, Process("forger")
    task = scheduler.begin(scheduler.thread(process, "forger", _quietly(work), chat=PERSON))
    scheduler.run(only=process, until=lambda: task.is_over, steps=1_000)


def _quietly(work: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            work()
        except WriteLimitError:
            return

    return run


FORGERIES: Final[Iterable[Callable[[], list[str]]]] = (
    told_twice_to_wait,
    greeted_twice,
    greeting_that_nobody_saw,
    greeting_that_left_no_outcome,
    command_that_is_answered_twice,
    command_that_nobody_saw_answered,
    press_of_a_button_that_never_was,
    question_that_is_declined_and_carried_out,
    press_of_an_answer_that_meets_silence,
    press_that_counts_too_late,
    answer_in_other_words,
    answer_that_history_lost,
    flood_that_nobody_answered,
    error_that_was_not_foreseen,
    message_that_is_kept_elsewhere,
    message_that_comes_back,
    interjection_that_is_heard_twice,
    interjection_that_files,
    words_in_a_log_line,
    medium_that_comes_back,
    page_that_is_gone,
    entry_that_nobody_staged,
    entry_that_is_gone,
    entry_with_other_words,
    entry_that_repeats_itself,
    vector_of_other_words,
    commit_to_an_idle_turn,
    spending_that_nobody_counts,
    tokens_that_nobody_charges,
    stranger_whose_message_is_thought_about,
    limit_that_was_never_set,
    limit_that_is_told_again,
    apology_in_a_crowd,
    words_for_another_chat,
    write_that_is_given_up,
    request_that_outlives_its_deadline,
    turn_that_is_written_without_a_pause,
    chat_that_is_read_without_a_pause,
    schedule_that_never_rests,
    tap_of_another_button,
)
