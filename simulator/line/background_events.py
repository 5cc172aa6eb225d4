"""Events without a place in a chat: beacons, linked accounts, memberships, and events with any body, e.g. of future types."""

from typing import Literal

from .channel import Channel
from .errors import ImpossibleActionError
from .events import WebhookEvent
from .messages import JsonObject


class BackgroundEvents(Channel):
    """Every method emits and returns one event.  Source: Messaging API reference, "Webhook Event Objects"; webhook.yml."""

    def finish_video(self, user_id: str, tracking_id: str) -> WebhookEvent:
        """The person watched a video of the bot to the end.  The 1:1 chat must contain a video with the tracking id."""
        if not self.chat(user_id).has_tracking_id(self.account.user_id, tracking_id):
            raise ImpossibleActionError("no video with this tracking id is in the chat")
        return self._emit_from_user(
            user_id, {"type": "videoPlayComplete", "videoPlayComplete": {"trackingId": tracking_id}}
        )

    def meet_beacon(
        self, user_id: str, hwid: str, *, kind: Literal["enter", "banner", "stay"] = "enter", dm: str | None = None
    ) -> WebhookEvent:
        """The person came near a beacon. `dm`: the beacon's device message in hex."""
        beacon = {"hwid": hwid, "type": kind} | ({"dm": dm} if dm is not None else {})
        return self._emit_from_user(user_id, {"type": "beacon", "beacon": beacon})

    def link_account(
        self, user_id: str, nonce: str, *, result: Literal["ok", "failed"] = "ok", link_token: str | None = None
    ) -> WebhookEvent:
        """The person linked an account of the provider. The event of a failed link has no reply token.

        With `link_token`, LINE's rules decide: another user's token results in `failed`, an expired or used token in no event.
        Source: docs/messaging-api/linking-accounts; Messaging API reference, "Account link event".
        """
        if link_token is not None:
            redeemed = self.link_tokens.redeem(link_token, user_id=user_id, at_ms=self.now_ms())
            if redeemed is None:
                raise ImpossibleActionError("the link token has expired or was used; LINE sends no event")
            result = redeemed
        return self._emit_from_user(user_id, {"type": "accountLink", "link": {"result": result, "nonce": nonce}})

    def change_membership(
        self, user_id: str, membership_id: int, kind: Literal["joined", "left", "renewed"]
    ) -> WebhookEvent | None:
        """The person joined, left or renewed a paid membership. Without consent there is no event.

        Source: docs/messaging-api/user-consent.
        """
        if not self.person(user_id).has_consented:
            return None
        return self._emit_from_user(
            user_id, {"type": "membership", "membership": {"type": kind, "membershipId": membership_id}}
        )

    def invent(self, user_id: str, body: JsonObject) -> WebhookEvent:
        """An event with any body in the person's chat, e.g. of an unknown type.

        Source: docs/messaging-api/development-guidelines: new event types come without notice.
        """
        return self._emit_from_user(user_id, body)

    def _emit_from_user(self, user_id: str, body: JsonObject) -> WebhookEvent:
        return self.emit(self.chat(user_id), body, by=self.person(user_id))
