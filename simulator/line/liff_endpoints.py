"""The endpoints about LIFF apps.  Source: LIFF server API reference; liff.yml of line-openapi.

Apps are kept; opening an app in a browser is not modelled. LINE takes the token of a LINE Login channel here, the stand-in the token of
the Messaging API channel.
"""

from http import HTTPStatus
from typing import Final

from .calls import Answer, Call
from .channel import Channel
from .errors import LineError, bad_request, invalid_property, not_found
from .messages import JsonObject
from .problems import Problems

APPS: Final = 30
_VIEWS: Final = ("compact", "tall", "full")
_SCOPES: Final = ("openid", "email", "profile", "chat_message.write")
_PROMPTS: Final = ("normal", "aggressive", "none")
_PROPERTIES: Final = ("view", "description", "features", "permanentLinkPattern", "scope", "botPrompt")


async def get_all(channel: Channel, _call: Call) -> Answer:
    """Return all apps: 404 where there is none."""
    if not channel.liff_apps:
        raise not_found()
    return Answer(body={"apps": [{"liffId": liff_id, **app} for liff_id, app in channel.liff_apps.items()]})


async def add(channel: Channel, call: Call) -> Answer:
    """Keep the app; 30 are allowed.  Returns: `{"liffId": "1234567890-AbcdEfgh"}`, for example."""
    app = _check_app(call.json(), is_new=True)
    if len(channel.liff_apps) >= APPS:
        raise bad_request("The maximum number of LIFF apps that can be added to the channel has been reached")
    liff_id = f"{channel.channel_id}-{channel.ids.liff_suffix()}"
    channel.liff_apps[liff_id] = app
    return Answer(body={"liffId": liff_id})


async def update(channel: Channel, call: Call) -> Answer:
    """Change the properties in the body."""
    liff_id, change = _liff_id(channel, call), _check_app(call.json(), is_new=False)
    app = channel.liff_apps[liff_id]
    view = {**app["view"], **change.get("view", {})}
    channel.liff_apps[liff_id] = {**app, **change, "view": view}
    return Answer()


async def delete(channel: Channel, call: Call) -> Answer:
    """Remove the app."""
    del channel.liff_apps[_liff_id(channel, call)]
    return Answer()


def _liff_id(channel: Channel, call: Call) -> str:
    liff_id = call.path_params["liff_id"]
    if liff_id not in channel.liff_apps:
        raise LineError(status=HTTPStatus.NOT_FOUND, message="not found")
    return liff_id


def _check_app(body: JsonObject, *, is_new: bool) -> JsonObject:
    """Return the app without unknown properties.  Raises: LineError 400, with every problem."""
    problems = Problems()
    if is_new or body.get("view") is not None:
        _check_view(problems.object(body, "view", ""), problems, is_new=is_new)
    problems.text(body, "description", "", most=100, required=False)
    if body.get("botPrompt") is not None:
        problems.choice(body, "botPrompt", "", of=_PROMPTS)
    if body.get("permanentLinkPattern") is not None:
        problems.choice(body, "permanentLinkPattern", "", of=("concat",))
    if body.get("features") is not None:
        problems.object(body, "features", "")
    scope = body.get("scope")
    if scope is not None and (not isinstance(scope, list) or not all(item in _SCOPES for item in scope)):
        raise invalid_property("scope")
    problems.raise_any()
    return {name: body[name] for name in _PROPERTIES if body.get(name) is not None}


def _check_view(view: JsonObject, problems: Problems, *, is_new: bool) -> None:
    if is_new or view.get("type") is not None:
        problems.choice(view, "type", "view", of=_VIEWS)
    problems.https_url(view, "url", "view", required=is_new)
    url = view.get("url")
    if isinstance(url, str) and "#" in url:
        problems.add("URL fragments can't be specified", "view.url")
    problems.flag(view, "moduleMode", "view", required=False)
