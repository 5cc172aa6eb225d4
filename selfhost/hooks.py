"""Notices of hooks in the self-hosted process, imported only with HOOKS=on."""

from collections.abc import Mapping
from dataclasses import dataclass

from functions.webhook.notify import HookRequest, NotifyEndpoint
from shared.adapters.form_body import form_in
from shared.bus.messages import EventBus
from shared.clock import Clock
from shared.hooks.rates import InstanceRates
from shared.line.webhook_body import UnreadBody
from shared.settings.secret import Secret


@dataclass(frozen=True, slots=True)
class ServedHooks:
    """The webhook's endpoint for notices, as the public server calls it; a Hooks."""

    endpoint: NotifyEndpoint

    @classmethod
    def on(cls, bus: EventBus, key: Secret, clock: Clock) -> "ServedHooks":
        """Return what publishes notices on the queue.  `key` is HOOK_KEY."""
        return cls(NotifyEndpoint(bus=bus, key=key, rates=InstanceRates(clock), read_form=form_in))

    def is_for(self, path: str) -> bool:
        return HookRequest.is_for(path)

    def answer(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: UnreadBody
    ) -> tuple[str, int, Mapping[str, str]]:
        request = HookRequest(method=method, path=path, query=query, headers=headers, body=body)
        answered = self.endpoint(request, traceparent=headers.get("traceparent"))
        return answered.text, answered.status, answered.headers
