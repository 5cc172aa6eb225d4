"""Events that no chat shows: beacons, linked accounts, memberships, modules; and events that LINE has not invented yet."""

from typing import Literal

from simulator.line.channel import Channel
from simulator.line.events import WebhookEvent
from simulator.line.messages import JsonObject


class Occurrences(Channel):
    """Every occurrence returns its event.  Source: Messaging API reference, "Webhook Event Objects"; webhook.yml."""

    def finish_video(self, user_id: str, tracking_id: str) -> WebhookEvent:
        """The person watched a video of the bot to its end."""
        return self._of_person(user_id, {"type": "videoPlayComplete", "videoPlayComplete": {"trackingId": tracking_id}})

    def meet_beacon(
        self, user_id: str, hwid: str, *, kind: Literal["enter", "banner", "stay"] = "enter"
    ) -> WebhookEvent:
        """The person came near a beacon."""
        return self._of_person(user_id, {"type": "beacon", "beacon": {"hwid": hwid, "type": kind}})

    def link_account(self, user_id: str, nonce: str, *, result: Literal["ok", "failed"] = "ok") -> WebhookEvent:
        """The person linked an account of the provider. A failed link carries no reply token."""
        return self._of_person(user_id, {"type": "accountLink", "link": {"result": result, "nonce": nonce}})

    def change_membership(
        self, user_id: str, membership_id: int, kind: Literal["joined", "left", "renewed"]
    ) -> WebhookEvent:
        """The person joined, left or renewed a paid membership."""
        return self._of_person(
            user_id, {"type": "membership", "membership": {"type": kind, "membershipId": membership_id}}
        )

    def attach_module(self, scopes: tuple[str, ...] = ("message:send", "message:receive")) -> WebhookEvent:
        """A module channel was attached to the account."""
        module = {"type": "attached", "botId": self.account.user_id, "scopes": list(scopes)}
        return self.emit(None, {"type": "module", "module": module})

    def detach_module(self) -> WebhookEvent:
        """A module channel was detached because the account is gone."""
        module = {"type": "detached", "botId": self.account.user_id, "reason": "bot_deleted"}
        return self.emit(None, {"type": "module", "module": module})

    def activate(self, user_id: str, *, expire_at_ms: int) -> WebhookEvent:
        """The channel has the floor in the chat until then."""
        return self._of_person(user_id, {"type": "activated", "chatControl": {"expireAt": expire_at_ms}})

    def deactivate(self, user_id: str) -> WebhookEvent:
        """The channel lost the floor."""
        return self._of_person(user_id, {"type": "deactivated"})

    def suspend_bot(self) -> WebhookEvent:
        """The account was suspended."""
        return self.emit(None, {"type": "botSuspended"})

    def resume_bot(self) -> WebhookEvent:
        """The account is in use again."""
        return self.emit(None, {"type": "botResumed"})

    def complete_notification(self, delivery_tag: str) -> WebhookEvent:
        """A LINE notification message reached its phone."""
        return self.emit(None, {"type": "delivery", "delivery": {"data": delivery_tag}})

    def invent(self, user_id: str, body: JsonObject) -> WebhookEvent:
        """An event of any shape in the person's chat, e.g. a type that does not exist.

        Source: docs/messaging-api/development-guidelines: new event types come without notice.
        """
        return self._of_person(user_id, body)

    def _of_person(self, user_id: str, body: JsonObject) -> WebhookEvent:
        return self.emit(self.chat(user_id), body, by=self.person(user_id))
