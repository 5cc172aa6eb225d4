"""The guide of the web toolset."""

from typing import Final

WEB_GUIDE: Final = """\
# The web
`web_search` is for what is recent, or what you are not sure of: news, weather, opening hours, prices, facts. It is not for what people of
this chat said, nor for what was filed here. Keep the numbers of the sources, such as [1]; this system adds the links. Nothing of people's
notes belongs in a query, unless the person who asks said it themselves.
Example: "is it going to rain in Osaka tomorrow?" -> web_search(query: "Osaka weather forecast 2026-11-23"), then reply.
Example: "when does Yuki's train leave?" (said in this chat) -> reply from the conversation, without a search."""
