"""The cost of a turn in a long chat and in a very long one: no cost may grow with the length of the conversation.

Requests and bytes are averages over so many turns that both chats were folded equally often, because a turn that triggers a compaction
costs more than the others. Nothing here is timed. No toolset is on, because the cost of filed entries grows with their number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from benchmarks import bucket_log
from benchmarks.chats import Chat, push
from benchmarks.plan import Plan
from benchmarks.processes import Processes, wiring
from benchmarks.samples import Comparison
from benchmarks.table import Row, Section
from benchmarks.turn import Requests, take_requests
from simulator.processes import Child

SHORT: Final = 200
TURNS_UNTIL_FOLDED: Final = 21
_TARGET: Final = 1.1  # ten per cent more


async def measure(processes: Processes, plan: Plan) -> Section:
    """Return the section."""
    stand_ins = {
        "bucket": await processes.stand_in("bucket", "--behind", (await processes.bucket()).url),
        "line": await processes.stand_in("line"),
        "gemini": await processes.stand_in("gemini"),
    }
    worker = await processes.start(processes.function("agent_worker", wiring(stand_ins, SETTLE_MS="0", TOOLSETS="")))
    asked: dict[str, list[Requests]] = {}
    for name, messages in (("short", SHORT), ("long", plan.longest_chat)):
        chat = await Chat.create(stand_ins["line"])
        await chat.grow(messages, worker=worker)
        asked[name] = [await _turn(stand_ins, worker, chat) for _ in range(plan.folds * TURNS_UNTIL_FOLDED)]
    await processes.stop(worker)
    return _section(asked, plan)


async def _turn(stand_ins: Mapping[str, Child], worker: Child, chat: Chat) -> Requests:
    event = await chat.say(addressed=True)
    await take_requests(stand_ins, slow_bucket_s=0.0)
    await push(worker, event)
    return await take_requests(stand_ins, slow_bucket_s=0.0)


def _section(asked: Mapping[str, Sequence[Requests]], plan: Plan) -> Section:
    def row(what: str, unit: str, figures: Mapping[str, Sequence[float]]) -> Row:
        means = {name: sum(values) / len(values) for name, values in figures.items()}
        comparison = Comparison.of([(means["long"], means["short"])])
        return Row(what=what, against=f"{SHORT} messages", unit=unit, comparison=comparison, target=_TARGET)

    rows = [
        row(
            f"storage requests a turn: {kind}",
            "",
            {name: [one.storage[kind] for one in all_] for name, all_ in asked.items()},
        )
        for kind in bucket_log.KINDS
        if any(one.storage[kind] for one in asked["long"])
    ]
    rows.append(
        row(
            "storage, both bodies",
            "kB",
            {name: [one.storage_bytes / 1_000 for one in all_] for name, all_ in asked.items()},
        )
    )
    rows.append(
        row("prompts", "kB", {name: [one.prompt_bytes / 1_000 for one in all_] for name, all_ in asked.items()})
    )
    rows.append(row("requests to Gemini", "", {name: [one.gemini for one in all_] for name, all_ in asked.items()}))
    return Section(
        title=f"A turn in a group of {plan.longest_chat} messages, mean of {plan.folds * TURNS_UNTIL_FOLDED} turns",
        rows=rows,
        note="recaps are among the requests to Gemini, and compaction among those to storage",
        samples={name: [asdict(one) for one in all_] for name, all_ in asked.items()},
    )
