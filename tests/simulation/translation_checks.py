"""What became of a group's messages that are translated: each once, none that was for the bot, and no translation stored."""

from collections import Counter
from collections.abc import Iterator

from shared.conversation.member_mark import mark_id
from shared.line.postback_data import TranslationChoice, TranslationPress
from shared.storage.codec import decode
from shared.translation.setting import TranslationSetting
from tests.simulation.mind import TRANSLATED
from tests.simulation.people import Message
from tests.simulation.story import Story
from tests.simulation.times import TOKEN_S
from tests.simulation.translation import GREETS, setting_name


def check_translations(story: Story) -> Iterator[str]:
    """Each message of a member whom the setting covers is translated once; in calm weather none is left out."""
    if not story.settings.has_translation:
        return
    stored = story.world.objects.read(setting_name(story.chat))
    setting = decode(TranslationSetting, stored.data) if stored is not None else TranslationSetting()
    shown = Counter(
        bubble.line_message_id
        for _, outcome in story.effects()
        if outcome.translations is not None
        for bubble in outcome.translations.bubbles
    )
    by_id = {message.id: message for message in story.people.messages}
    for message_id, count in shown.items():
        message = by_id.get(message_id)
        if message is None or message.addressed or not _is_covered(setting, message):
            yield f"I6: {message_id} was translated although nobody had that translated"
        if count > (1 if message is None else max(1, len(message.words))):  # an edit is translated anew
            yield f"I2: {message_id} was translated twice"
    for message in story.people.messages:
        is_due = not message.addressed and GREETS in message.text and _is_covered(setting, message)
        if is_due and story.is_calm and not shown[message.id] and story.people.is_kept(message) and not _is_late(story):
            yield f"I6: {message.id} was not translated although nothing had failed"
    yield from _check_stored(story)
    yield from _check_switches(story, setting)


def _check_switches(story: Story, setting: TranslationSetting) -> Iterator[str]:
    """What presses on the card of `/settings` have set: ended, it stays so; for everybody only by a member who did not ask."""
    orders = [(order, TranslationPress.read(order.presses)) for order in story.people.orders]
    presses = [(order, press.choice) for order, press in orders if press is not None]
    if setting.is_on and story.is_calm and any(choice is TranslationChoice.END for _, choice in presses):
        yield "I6: translation goes on although a press has ended it"
    others = {
        order.event["timestamp"]
        for order, choice in presses
        if choice is TranslationChoice.JOIN and mark_id(order.author) != setting.by
    }
    if setting.is_on and setting.all_since_ms > setting.since_ms and setting.all_since_ms not in others:
        yield "I9: everybody's messages are translated, although only the member who asked has pressed"


def _is_covered(setting: TranslationSetting, message: Message) -> bool:
    """Whether the message was sent by a member and at a time that the setting covers."""
    return setting.is_on and (setting.is_for_all or message.author.endswith("a"))


def _is_late(story: Story) -> bool:
    """Whether a message may wait for the chat's turn for longer than its token lives."""
    return story.mood.seconds[1] > TOKEN_S / 6


def _check_stored(story: Story) -> Iterator[str]:
    for listed in story.world.objects.list(""):
        stored = story.world.objects.read(listed.name)
        if stored is not None and TRANSLATED.encode() in stored.data and story.chat in listed.name:
            yield f"I4: a translation is stored in {listed.name.partition('/')[0]}/"
