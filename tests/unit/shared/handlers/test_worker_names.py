"""What the model is told of people: display names, and no ids."""

from concurrent.futures import ThreadPoolExecutor

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses
from shared.agent.tools import Tool, load_schema
from tests.support import recorded
from tests.support.people import ChatEvents
from tests.support.pushed import PushedWorker
from tests.unit.shared.handlers.conftest import YUKI

HELLO = calling(("reply", {"message": "こんにちは！"}))
KENJI = "U" + "2" * 32


def test_prompt_shows_display_names_and_times(worker: PushedWorker, group: ChatEvents) -> None:
    worker.profiles.names = {YUKI: "ゆき [note]\n", KENJI: "健二"}
    worker.deliver(group.text("十時に駅で"))
    worker.deliver(group.text("@Aizuchi どこ？", by=KENJI), thinks=[HELLO])

    assert "[note] Fri 2025-11-21:\n[ゆき note | 13:40] 十時に駅で" in worker.prompt()
    assert "[健二 | 2025-11-21 13:40] どこ？" in worker.prompt()


def test_people_without_a_name_stay_distinct_and_profiles_are_requested_once(
    worker: PushedWorker, group: ChatEvents
) -> None:
    worker.deliver(group.text("十時に駅で"))
    worker.deliver(group.text("@Aizuchi どこ？", by=KENJI), thinks=[HELLO])
    worker.deliver(group.text("@Aizuchi いつ？", by=KENJI), thinks=[HELLO])

    assert "[someone …1111 |" in worker.prompt()
    assert "[someone …2222 |" in worker.prompt()
    assert worker.profiles.asked == 2


def test_no_line_id_reaches_the_model_or_an_answer(pool: ThreadPoolExecutor, direct: ChatEvents) -> None:
    tool = Tool(
        name="tell",
        description="Tells.",
        parameters=load_schema("skip.parameters"),
        response={"type": "object"},
        run=lambda arguments, _: {"who": [KENJI], "asked": arguments["reason"]},
    )
    worker = PushedWorker(pool, [tool])
    calls = calling(("tell", {"reason": f"who is {recorded.GROUP}"}))
    reply = calling(("reply", {"message": f"**{KENJI}** です"}))

    worker.deliver(direct.text(f"{KENJI} って誰？"), thinks=[calls, reply])

    assert "[ID] って誰？" in worker.prompt()
    responses = [one for one in worker.model.requests[-1].contents if isinstance(one, FunctionResponses)]
    assert responses[0].responses[0].response == {"output": {"who": ["[ID]"], "asked": "who is [ID]"}}
    assert worker.said == ["[ID] です"]


def test_no_prompt_of_a_recorded_delivery_holds_a_line_id(worker: PushedWorker) -> None:
    for name in recorded.NAMES:
        if name.startswith("message-"):
            worker.deliver(recorded.event(name), thinks=[HELLO])

    prompts = "".join(worker.prompt(number) for number in range(len(worker.model.requests)))
    assert recorded.USER not in prompts
    assert recorded.GROUP not in prompts
