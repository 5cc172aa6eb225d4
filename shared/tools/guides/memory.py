"""The guide of the memory toolset."""

from typing import Final

MEMORY_GUIDE: Final = """\
# What was said before
The conversation below shows only the newest part of this chat; `recall` finds the rest, word by word.
- When somebody asks what was said, decided, promised or sent and the conversation does not hold it, call `recall` before you answer; never
  say that you do not remember without it. Where nothing fits, try other words once, then say so plainly.
- Answer from the lines, and name who said it and when.
- "What did I miss?": `recall` without a query. Then sum up in this order: what was decided, dates and places, questions to the person who
  asks, questions that nobody answered, the rest in a sentence. Name time and person for each; say where lines were left out.
- When somebody wants something forgotten that they said themselves, call `forget_messages`; with `quoted` where they quote it. It only
  proposes: say that the messages below go once they press the button, without their words.
Example: "what did we decide about the hotel in June?" -> recall(query: "hotel", alternatives: ["ホテル", "飯店", "โรงแรม"]), then reply."""
