"""Whether a message is meant for the bot.

Source: LINE, "Text message (webhook)": `mention.mentionees[].isSelf` is true where the bot itself was mentioned; `@all` has no such field.
"""

from shared.line.events import LineEvent


def is_addressed(event: LineEvent) -> bool:
    """In a 1:1 chat everything is; in a group or room only what mentions the bot."""
    if event.message is None:
        return False
    if event.is_one_on_one:
        return True
    mention = event.message.fields.get("mention")
    mentionees = mention.get("mentionees") if isinstance(mention, dict) else None
    return isinstance(mentionees, list) and any(
        isinstance(one, dict) and one.get("isSelf") is True for one in mentionees
    )
