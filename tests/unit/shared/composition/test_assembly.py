"""What the assembly does with ports that a deployment may leave out."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from shared.adapters.memory import ScriptedModel
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses, ModelRequest, ModelResponse
from shared.bus.endpoint import PushEndpoint
from shared.clock import Deadline
from shared.composition.assembly import assemble
from shared.errors import ModelUnavailableError
from shared.knowledge.embeddings import Embedded, Kind
from shared.line.phrases import Phrase
from shared.line.webhook_check import WebhookCheck
from tests.support import push, recorded
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker


class Checker:
    """Tests the webhook, and counts."""

    checks = 0

    def check_webhook(self) -> WebhookCheck:
        self.checks += 1
        return WebhookCheck(is_active=True, is_answered=True, status=200, reason="OK")


class Embedder:
    """Does not answer, and counts."""

    name = "embedder"
    asked = 0

    def embed(self, texts: Sequence[str], *, kind: Kind, deadline: Deadline) -> Embedded:
        del texts, kind, deadline
        self.asked += 1
        raise ModelUnavailableError("503")


@pytest.mark.parametrize("has_checker", [True, False])
def test_ticks_have_the_webhook_tested_where_something_can(worker: PushedWorker, *, has_checker: bool) -> None:
    checker = Checker()
    ports = replace(worker.ports, webhook=checker if has_checker else None)
    handle = assemble(ports, replace(worker.options, heartbeat_minutes=1))

    assert PushEndpoint(handle=handle, clock=worker.clock)("POST", push.tick())[1] == 204

    assert checker.checks == int(has_checker)


def test_a_tick_asks_the_model_once_all_else_of_a_chat_is_done(worker: PushedWorker) -> None:
    kinds = tuple(assemble(worker.ports, worker.options).tick.tasks)

    assert kinds == ("withdrawal", "edit", "erasure", "reminder", "notice-end", "notice", "calendar", "reply")


@pytest.mark.parametrize("has_fallback", [True, False])
def test_another_model_answers_where_the_first_does_not(worker: PushedWorker, *, has_fallback: bool) -> None:
    fallback = ScriptedModel([calling(("reply", {"message": "やあ"}))])
    handle = assemble(replace(worker.ports, fallback_model=fallback if has_fallback else None), worker.options)
    worker.model.steps = [ModelUnavailableError("503") for _ in range(4)]

    PushEndpoint(handle=handle, clock=worker.clock)("POST", push.envelope(recorded.event("message-text")))

    assert worker.said == ["やあ" if has_fallback else japanese(Phrase.APOLOGY_BUSY)]


@pytest.mark.parametrize("has_embedder", [True, False])
def test_entries_are_searched_by_what_they_mean_where_there_is_an_embedder(
    friend: Person, *, has_embedder: bool
) -> None:
    friend.files("lunch")
    worker, embedder = friend.worker, Embedder()
    handle = assemble(replace(worker.ports, embedder=embedder if has_embedder else None), worker.options)
    worker.model.steps = [calling(("search_entries", {"query": "meal"})), calling(("reply", {"message": "やあ"}))]

    PushEndpoint(handle=handle, clock=worker.clock)("POST", push.envelope(friend.events.text("a meal?")))

    assert worker.said[-1] == "やあ"
    assert bool(embedder.asked) is has_embedder
    [found] = [one for one in worker.model.requests[-1].contents if isinstance(one, FunctionResponses)]
    assert found.responses[0].response == {"output": {"entries": [], "total": 0, "similar": []}}


def test_entries_are_not_searched_for_a_message_that_was_taken_back(friend: Person) -> None:
    friend.files("lunch")
    worker, embedder, event = friend.worker, Embedder(), friend.events.text("a meal?")
    handle = assemble(replace(worker.ports, embedder=embedder), worker.options)

    def searches(_: ModelRequest) -> ModelResponse:
        worker.withdraw(recorded.USER, event["message"]["id"])
        return calling(("search_entries", {"query": "meal"}))

    worker.model.steps = [calling(("list_entries", {})), searches]
    PushEndpoint(handle=handle, clock=worker.clock)("POST", push.envelope(event))

    assert embedder.asked == 0


@pytest.mark.parametrize("can_file", [True, False])
def test_a_prompt_shows_what_was_filed_where_filing_is_offered(friend: Person, *, can_file: bool) -> None:
    friend.files("lunch")
    worker = friend.worker
    handle = assemble(replace(worker.ports, json_model=worker.json_model if can_file else None), worker.options)
    worker.model.steps = [calling(("reply", {"message": "やあ"}))]

    PushEndpoint(handle=handle, clock=worker.clock)("POST", push.envelope(friend.events.text("hello")))

    assert ("[index] What was filed" in worker.prompt()) is can_file
