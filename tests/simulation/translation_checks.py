"""What became of a group's messages that are translated: each once, none that was for the bot, and no translation stored."""

from collections import Counter
from collections.abc import Iterator

from shared.conversation.member_mark import mark_id
from shared.line.postback_data import TranslationChoice, TranslationPress
from shared.storage.codec import decode
from shared.translation.setting import TranslationSetting
from shared.translation.turn import MISSED_MS
from tests.simulation.mind import TRANSLATED
from tests.simulation.people import MEMBERS, Message, Order
from tests.simulation.story import Story
from tests.simulation.times import SKEW_S, TOKEN_S
from tests.simulation.translation import GREETS, setting_name
from tests.simulation.wiring import NO_LIMITS


def check_translations(story: Story) -> Iterator[str]:
    """Each message of a member whom the setting covers is translated once; in calm weather none is left out."""
    if not story.settings.has_translation:
        return
    stored = story.world.objects.read(setting_name(story.chat))
    setting = decode(TranslationSetting, stored.data) if stored is not None else TranslationSetting()
    yield from _check_switches(story, setting)
    shown = Counter(
        bubble.line_message_id
        for _, outcome in story.effects()
        if outcome.translations is not None
        for bubble in outcome.translations.bubbles
    )
    by_id = {message.id: message for message in story.people.messages}
    for message_id, count in shown.items():
        message = by_id.get(message_id)
        is_request = message is not None and message.addressed and not _may_have_flood(story)
        if message is None or is_request or not _was_covered(story, message):
            yield f"I6: {message_id} was translated although nobody had that translated"
        if count > (1 if message is None else max(1, len(message.words))):  # an edit is translated anew
            yield f"I2: {message_id} was translated twice"
    for message in story.people.messages:
        if _is_due(story, setting, message) and not shown[message.id]:
            yield f"I6: {message.id} was not translated although nothing had failed"
    yield from _check_stored(story)


def _presses(story: Story) -> tuple[tuple[Order, TranslationChoice], ...]:
    """Return the presses on the card of what is on, in the order of LINE's timestamps."""
    read = ((order, TranslationPress.read(order.presses)) for order in story.people.orders)
    presses = [(order, press.choice) for order, press in read if press is not None]
    return tuple(sorted(presses, key=lambda pair: pair[0].at_s))


def _check_switches(story: Story, setting: TranslationSetting) -> Iterator[str]:
    """What presses on the card of what is on have set: ended, it stays so; for everybody only by a member who did not ask."""
    presses = _presses(story)
    if setting.is_on and story.is_calm and any(choice is TranslationChoice.END for _, choice in presses):
        yield "I6: translation goes on although a press has ended it"
    others = {order.event["timestamp"] for order, _ in _joinings(story)}
    if setting.is_on and setting.all_since_ms > setting.since_ms and setting.all_since_ms not in others:
        yield "I9: everybody's messages are translated, although only the member who asked has pressed"


def _joinings(story: Story) -> tuple[tuple[Order, TranslationChoice], ...]:
    """Return the presses for everybody of members who did not ask."""
    return tuple(
        (order, choice)
        for order, choice in _presses(story)
        if choice is TranslationChoice.JOIN and order.author != MEMBERS[0]
    )


def _may_have_flood(story: Story) -> bool:
    """Whether there may have been a flood.

    Its requests become context, and so are translated like what members say to each other. What waits for its translation gives its place
    to what is asked, and may wait for the next translation (`_waits_for_another`).
    """
    return len(story.bus.arrived_s[story.chat]) > story.a_minute


def _waits_for_another(story: Story, message: Message) -> bool:
    """Whether no translation has followed on which the message could have gone, or one has counted it as left out.

    From when its token is surely dead until it is too old, with what clocks differ by on either side.
    """
    translated = [(said.at_s, outcome) for said, outcome in story.effects() if outcome.translations]
    since_s, until_s = message.at_s + TOKEN_S + 2 * SKEW_S, message.at_s + MISSED_MS / 1_000 - 2 * SKEW_S
    is_followed = any(since_s < at_s < until_s for at_s, _ in translated)
    return not is_followed or any(message.id in outcome.answered_ids for _, outcome in translated)


def _was_covered(story: Story, message: Message) -> bool:
    """Whether the message was ever one that is translated: translation has begun for everybody, or for the author, or somebody joined."""
    is_for_all = story.world.truth.translated_for_all.get(story.chat)
    if is_for_all is None:
        return False
    return is_for_all or message.author == MEMBERS[0] or any(one.at_s < message.at_s for one, _ in _joinings(story))


def _is_due(story: Story, setting: TranslationSetting, message: Message) -> bool:
    """Whether the message has to be translated: it is covered in the end, nothing has failed, and its token did not wait for anything.

    Where budgets are small, half of the day may be used up; a request that fails is not repeated for long.
    """
    if (
        not story.is_calm
        or story.mood.downs
        or story.settings.budget != NO_LIMITS
        or message.addressed
        or GREETS not in message.text
        or not setting.is_on
    ):
        return False
    is_covered = setting.is_for_all if message.author != MEMBERS[0] else setting.by == mark_id(MEMBERS[0])
    is_delayed = _is_late(story) or story.waited_long(message.id) or story.begins_again(message.at_s)
    is_delayed = is_delayed or (_may_have_flood(story) and _waits_for_another(story, message))
    return is_covered and _was_covered(story, message) and story.people.is_kept(message) and not is_delayed


def _is_late(story: Story) -> bool:
    """Whether the model may think for longer than a translation has: with the shortest lease six seconds, eight at most."""
    return story.mood.seconds[1] > TOKEN_S / 12


def _check_stored(story: Story) -> Iterator[str]:
    """No translation is stored in the end, but in the turn of a worker that died after the record: the next turn drops that."""
    for listed in story.world.objects.list(""):
        stored = story.world.objects.read(listed.name)
        if listed.name.startswith("turns/") and not story.is_calm:
            continue
        if stored is not None and TRANSLATED.encode() in stored.data and story.chat in listed.name:
            yield f"I4: a translation is stored in {listed.name.partition('/')[0]}/"
