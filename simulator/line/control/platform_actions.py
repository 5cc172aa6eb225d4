"""The control API's actions on deliveries, the API's answers and the clock, and for events not caused by a person."""

from dataclasses import asdict, replace

from ..errors import ImpossibleActionError
from ..message_endpoints import checked_messages, destination_of
from ..messages import JsonObject
from ..platform import LinePlatform
from ..sent_messages import Sent
from ..switches import Fault
from .actions import action
from .fields import CHAT_ID, FLAG, OBJECT, USER_ID, choice, list_of, number, string, whole


@action(
    optional={
        "redelivers": FLAG,
        "redelivery_count": whole(least=0, most=100),
        "redelivery_interval_s": number(least=0, most=3_600),
        "duplicates": whole("Further copies of each first delivery.", least=0, most=10),
        "delay_s": number(least=0, most=3_600),
        "jitter_s": number("The longest random delay, which reorders deliveries.", least=0, most=3_600),
        "holds": FLAG,
        "timeout_s": number(least=0.01, most=600),
        "mode": choice("active", "standby"),
        "edits_have_tokens": FLAG,
    },
)
def switches(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Change how events are delivered to the webhook; unnamed switches keep their values."""
    platform.switches = replace(platform.switches, **body)
    return asdict(platform.switches)


@action(optional={"webhook_event_ids": list_of(string(most=64))})
def release(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Send held deliveries; without ids all of them."""
    platform.courier.release(*body.get("webhook_event_ids", ()))
    return {}


@action(webhook_event_id=string(most=64))
def redeliver(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Send an event to the webhook again, marked as a redelivery."""
    webhook_event_id = body["webhook_event_id"]
    event = next((event for event in platform.events if event.webhook_event_id == webhook_event_id), None)
    if event is None:
        raise ImpossibleActionError("no such event")
    platform.courier.redeliver(event)
    return {"webhook_event_id": webhook_event_id}


@action(
    event=OBJECT,
    optional={"chat_id": CHAT_ID, "user_id": USER_ID},
)
def raw_event(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Emit an event with any body, e.g. of an unknown type; the platform adds the common fields and the source."""
    if not isinstance(body["event"].get("type"), str):
        raise ImpossibleActionError("an event has a type")
    chat_id, user_id = body.get("chat_id", body.get("user_id")), body.get("user_id")
    chat = platform.chat(chat_id) if chat_id is not None else None
    person = platform.person(user_id) if user_id is not None else None
    event = platform.emit(chat, body["event"], by=person)
    return {"webhook_event_id": event.webhook_event_id}


@action(
    body=string(most=1_000_000),
    optional={"signature": string(most=1_000)},
)
def raw_delivery(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Send any text to the webhook unchanged, signed with the channel secret unless a signature is given."""
    platform.courier.send_raw(body["body"].encode(), body.get("signature"))
    return {}


@action(
    path=string(least=1, most=200),
    optional={
        "nth": whole("Only the nth such request, counted from 1.", least=1, most=1_000_000),
        "delay_s": number(least=0, most=600),
        "error_status": whole(least=400, most=599),
        "answer": choice("sent", "cut", "hang"),
    },
)
def add_fault(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Make requests fail, from the next one on, for paths beginning with `path`.

    After `delay_s` a request is answered with `error_status` without an effect, or takes effect, and the answer is cut off or never sent.
    """
    platform.faults.add(Fault(**body))
    return {}


@action()
def clear_faults(platform: LinePlatform, _body: JsonObject) -> JsonObject:
    """Requests to the API go well again."""
    platform.faults.clear()
    return {}


@action(
    seconds=number(least=0, most=366 * 24 * 3_600),
)
def advance_clock(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Move the platform's clock forward: reply tokens, access tokens and retry keys expire."""
    platform.advance_clock(s=body["seconds"])
    return {"now_ms": platform.now_ms()}


@action(url=string(least=1, most=500))
def set_webhook(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Deliver events to another webhook."""
    if not body["url"].startswith(("http://", "https://")):
        raise ImpossibleActionError("the address has to begin with http:// or https://")
    platform.courier.webhook_url = body["url"]
    platform.notify_listeners()
    return {"url": body["url"]}


@action(
    optional={"limit": whole(least=0, most=10**9)},
)
def set_quota(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Set how many messages may be sent in a month; without a limit, any number."""
    platform.quota.limit = body.get("limit")
    return {}


@action(
    chat_id=CHAT_ID,
    messages=list_of(OBJECT, most=10),
    optional={"only_checks": FLAG},
)
def say_as_bot(platform: LinePlatform, body: JsonObject) -> JsonObject:
    """Show messages in the chat as if pushed by the bot, or only check the messages; a refusal is the same as by LINE's API."""
    chat = platform.chat(body["chat_id"])
    messages = checked_messages(platform, {"messages": body["messages"]}, destination_of(chat))
    if body.get("only_checks"):
        return {"line_message_ids": []}
    sent_messages = platform.say_as_bot(chat, messages, Sent(kind="push"))
    return {"line_message_ids": [one["id"] for one in sent_messages]}


@action(is_recorded=False)
def reset(platform: LinePlatform, _body: JsonObject) -> JsonObject:
    """Forget all chats, people, requests, faults and tokens, and begin with a new person."""
    return {"user_id": platform.reset().user_id}


@action(is_recorded=False)
def verify(platform: LinePlatform, _body: JsonObject) -> JsonObject:
    """Send a signed delivery without events, as the button "Verify" of LINE's console does."""
    platform.courier.start_verification()
    return {}
