"""`python -m operations.cost`: the costs of a month, from measured figures (measured.toml) and a dated price list (prices.toml).

`--limit-tokens-a-day` adds the costs at which the budgets stop the model. `--markdown` prints the tables of docs/deploy.md. `--second`
prints what a second deployment adds, because the free tiers of a billing account are used up once. The profiles
are Terraform's `full` and `small`, `small-essential` (small with the five essential alerts), and `self-hosted` (your own machine, where
only Gemini costs money).
"""

import argparse
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from shared.access.budgets import Limits

_FOLDER: Final = Path(__file__).parent
_DAYS: Final = 30
_MINUTES: Final = _DAYS * 1_440
_MILLION: Final = 1_000_000
_GIB: Final = 2**30
_TIB: Final = 2**40
_MOST: Final = 10**12
_WITH_CENTS: Final = 100
"""Dollars below which a table shows cents."""
DEFAULT_MESSAGES_A_DAY: Final = (0, 20, 1_000, 100_000)
PROFILES: Final = ("full", "small", "small-essential")
SELF_HOSTED: Final = "self-hosted"
_OF_THE_MODEL: Final = "Gemini, "
_SEARCHES: Final = f"{_OF_THE_MODEL}web search queries"
_PARTS: Final = {
    "Gemini: turns, recaps, classification, captions, search": _OF_THE_MODEL,
    "Cloud Run": "Cloud Run",
    "Cloud Storage": "Cloud Storage",
    "alerts": "Alerts",
}
"""The rows of the guide's table, with the beginnings of the names of their items."""
_FREE: Final = "free_"
_IS_SECOND: Final = "is_second"
Numbers = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """The costs of a month in US dollars, by cause, for example `{"Pub/Sub": 0.12}`; the budgets count `weighted_tokens_a_day`."""

    messages_a_day: int
    items: Mapping[str, float]
    weighted_tokens_a_day: float

    @property
    def total(self) -> float:
        return sum(self.items.values())


def month_of(
    messages_a_day: int, *, measured: Numbers, prices: Numbers, profile: str = "full", has_load_balancer: bool = False
) -> Month:
    """Return the costs of a month with so many messages a day, after the free tiers."""
    messages = messages_a_day * _DAYS
    turns = messages * measured["answered_share"]
    tokens = _tokens(messages, turns, measured)
    gemini = prices["gemini"]
    model = {
        f"Gemini, {kind}": (
            (prompt - _cached(kind, prompt, measured) * (1 - gemini["cached_share_of_input"]))
            * gemini["input_per_million"]
            + output * gemini["output_per_million"]
        )
        / _MILLION
        for kind, (prompt, output) in tokens.items()
    }
    searches = max(0.0, turns * measured["search_share"] - gemini["search_free_a_month"])
    items = {
        **model,
        "Gemini, web search queries": searches / 1_000 * gemini["search_per_thousand"],
        **(
            {}
            if profile == SELF_HOSTED
            else _platform(messages, turns, measured, prices, measured["profiles"][profile])
        ),
        "Load balancer": _load_balancer(messages, measured, prices["load_balancer"]) if has_load_balancer else 0.0,
    }
    ratio = gemini["output_per_million"] / gemini["input_per_million"]
    weighted = sum(prompt + output * ratio for prompt, output in tokens.values()) / _DAYS
    return Month(messages_a_day=messages_a_day, items=items, weighted_tokens_a_day=weighted)


def _tokens(messages: float, turns: float, measured: Numbers) -> dict[str, tuple[float, float]]:
    """Return the prompt and output tokens of a month, by the kind of request."""
    kinds = measured["tokens"]
    counts = {
        "turns": (turns * kinds["turn"]["model_calls"], kinds["turn"]),
        "recaps": (messages / kinds["recap"]["every_messages"], kinds["recap"]),
        "classification": (turns * kinds["classify"]["share_of_turns"], kinds["classify"]),
        "captions": (messages * kinds["caption"]["share_of_messages"], kinds["caption"]),
        "search requests": (turns * measured["search_share"], kinds["search"]),
    }
    return {name: (count * kind["prompt"], count * kind["output"]) for name, (count, kind) in counts.items()}


def _cached(kind: str, prompt: float, measured: Numbers) -> float:
    """Return the prompt tokens billed as cached: all requests of a turn but the first, for example two thirds for three requests."""
    calls = measured["tokens"]["turn"]["model_calls"]
    return float(prompt * (calls - 1) / calls) if kind == "turns" else 0.0


def _load_balancer(messages: float, measured: Numbers, prices: Numbers) -> float:
    rules = measured["functions"]["armor_rules"]
    fixed = prices["forwarding_rule_month"] + prices["policy_month"] + rules * prices["rule_month"]
    return float(fixed + messages / _MILLION * prices["million_requests"])


def _secret_reads(messages: float, heartbeats: float, functions: Numbers) -> float:
    read = heartbeats * functions["heartbeat_reads_secrets"] + messages * functions["message_reads_secrets"]
    return float(min(read, _MINUTES * functions["most_secret_reads_a_minute"]))


def _platform(messages: float, turns: float, measured: Numbers, prices: Numbers, profile: Numbers) -> dict[str, float]:
    context, unsends = messages - turns, messages * measured["unsend_share"]
    requests, seconds, functions = measured["requests"], measured["seconds"], measured["functions"]
    ticks = _MINUTES * profile["tick_shards"]
    heartbeats = _MINUTES / profile["heartbeat_minutes"] if profile["heartbeat_minutes"] else 0.0

    worker_s = turns * seconds["turn"] + context * seconds["context"] + ticks * seconds["tick"]
    webhook_s = (messages + heartbeats) * seconds["webhook"]
    unsend_s = unsends * seconds["unsend"]
    vcpu_s = worker_s + webhook_s + unsend_s
    gib_s = worker_s * functions["worker_gib"] + (webhook_s + unsend_s) * functions["webhook_gib"]
    class_a = (
        turns * requests["turn_class_a"]
        + context * requests["context_class_a"]
        + unsends * requests["unsend_class_a"]
        + ticks * requests["tick_class_a"]
    )
    class_b = (
        turns * requests["turn_class_b"] + context * requests["context_class_b"] + unsends * requests["unsend_class_b"]
    )
    run, storage, monitoring = prices["cloud_run"], prices["cloud_storage"], prices["monitoring"]
    secret, images = prices["secret_manager"], prices["artifact_registry"]
    versions = max(0, functions["secrets"] - secret["free_versions"])
    accesses = max(0.0, _secret_reads(messages, heartbeats, functions) - secret["free_accesses"])
    jobs = profile["tick_shards"]
    return {
        "Cloud Run, CPU and memory": (
            max(0.0, vcpu_s - run["free_vcpu_seconds"]) * run["vcpu_second"]
            + max(0.0, gib_s - run["free_gib_seconds"]) * run["gib_second"]
        ),
        "Cloud Run, requests": max(0.0, 2 * messages + ticks + heartbeats - run["free_requests"])
        / _MILLION
        * run["million_requests"],
        "Cloud Storage, calls": (class_a * storage["class_a_per_million"] + class_b * storage["class_b_per_million"])
        / _MILLION,
        "Cloud Storage, a year of messages": messages
        * 12
        * measured["bytes_kept_a_message"]
        / _GIB
        * storage["gib_month"],
        "Pub/Sub": max(0.0, messages * measured["bus_bytes_a_message"] / _GIB - prices["pubsub"]["free_gib"])
        * _GIB
        / _TIB
        * prices["pubsub"]["tib"],
        "Logs": max(0.0, messages * measured["log_bytes_a_message"] / _GIB - prices["logging"]["free_gib"])
        * prices["logging"]["gib"],
        "Alerts": profile["alert_conditions"] * monitoring["alert_condition_month"]
        + profile["alert_series_a_minute"] * _MINUTES / _MILLION * monitoring["million_series_returned"],
        "Ticks": max(0, jobs - prices["scheduler"]["free_jobs"]) * prices["scheduler"]["job_month"],
        "Secrets": versions * secret["version_month"] + accesses / 10_000 * secret["per_10000_accesses"],
        "Images": max(0.0, functions["images_gib"] - images["free_gib"]) * images["gib_month"],
    }


def report(months: list[Month], *, prices: Numbers, limit_tokens_a_day: float) -> str:
    """Return the table, one column for each number of messages."""
    names = list(months[0].items)
    rows = [
        ("US dollars a month", *(f"{month.messages_a_day:,} a day" for month in months)),
        *((name, *(f"{month.items[name]:,.2f}" for month in months)) for name in names),
        ("total", *(f"{month.total:,.2f}" for month in months)),
        ("weighted tokens a day", *(f"{month.weighted_tokens_a_day:,.0f}" for month in months)),
    ]
    if limit_tokens_a_day:
        ceiling = _dollars_a_month(limit_tokens_a_day, prices)
        rows += [
            ("LIMIT_TOKENS_PER_DAY stops Gemini at", *(f"{ceiling:,.2f}" for _ in months)),
            (
                "",
                *("reached" if month.weighted_tokens_a_day > limit_tokens_a_day else "not reached" for month in months),
            ),
        ]
    first = max(len(row[0]) for row in rows)
    lines = [f"{row[0]:<{first}}" + "".join(f"{cell:>18}" for cell in row[1:]) for row in rows]
    free = "no free tiers, as for a second deployment" if prices.get(_IS_SECOND) else "free tiers taken off"
    return "\n".join([f"list prices of {prices['read_on']}, {free}", *lines])


def markdown(months: list[Month], *, prices: Numbers, limits: Limits) -> str:
    """Return a table of docs/deploy.md, in dollars, with the stops of the budgets."""

    def row(name: str, cells: list[str]) -> str:
        return f"| {' | '.join([name, *cells])} |"

    def dollars(amount: float) -> str:
        return f"{amount:,.2f}" if amount < _WITH_CENTS else f"{amount:,.0f}"

    parts = {name: [_sum_of(month, begins, but=_SEARCHES) for month in months] for name, begins in _PARTS.items()}
    searches = [month.items[_SEARCHES] for month in months]
    named_amounts = [sum(column) for column in zip(searches, *parts.values(), strict=True)]
    other_amounts = [month.total - amount for month, amount in zip(months, named_amounts, strict=True)]
    most = _dollars_a_month(limits.tokens_per_day, prices)
    model = parts["Gemini: turns, recaps, classification, captions, search"]
    stopped = [min(amount, most) for amount in model]
    totals = [month.total - amount + stop for month, amount, stop in zip(months, model, stopped, strict=True)]
    rows = {name: [dollars(amount) for amount in amounts] for name, amounts in parts.items()}
    return "\n".join(
        [
            row("US dollars a month", [f"{month.messages_a_day:,} messages a day" for month in months]),
            row("---", ["---" for _ in months]),
            *(row(name, cells) for name, cells in list(rows.items())[:1]),
            row("web search queries", [dollars(amount) for amount in searches]),
            *(row(name, cells) for name, cells in list(rows.items())[1:]),
            row("Pub/Sub, logs, secrets, images", [dollars(amount) for amount in other_amounts]),
            row("**total**", [f"**about {dollars(month.total)}**" for month in months]),
            row("weighted tokens a day", [f"{month.weighted_tokens_a_day:,.0f}" for month in months]),
            row(
                f"`limits.tokens_per_chat_day` {limits.tokens_per_chat_day:,}: one chat stops at",
                [dollars(_dollars_a_month(limits.tokens_per_chat_day, prices)) for _ in months],
            ),
            row(
                f"`limits.tokens_per_day` {limits.tokens_per_day:,}: Gemini stops at {dollars(most)}",
                [
                    "reached" if month.weighted_tokens_a_day > limits.tokens_per_day else "not reached"
                    for month in months
                ],
            ),
            row("**total with that limit**", [f"**about {dollars(amount)}**" for amount in totals]),
        ]
    )


def _sum_of(month: Month, begins: str, *, but: str) -> float:
    return sum(amount for name, amount in month.items.items() if name.startswith(begins) and name != but)


def _dollars_a_month(tokens_a_day: float, prices: Numbers) -> float:
    """Return the monthly costs of so many weighted tokens a day."""
    return float(tokens_a_day * _DAYS * prices["gemini"]["input_per_million"] / _MILLION)


def without_free_tiers(prices: Numbers) -> dict[str, Any]:
    """Return the prices of a second deployment on the billing account: every free tier is 0, for example `free_jobs`."""

    def without(table: Numbers) -> dict[str, Any]:
        return {
            name: without(value) if isinstance(value, Mapping) else 0 if _FREE in name else value
            for name, value in table.items()
        }

    return without(prices) | {_IS_SECOND: True}


def load(name: str) -> dict[str, Any]:
    """Return a table of this folder: `load("prices")` reads prices.toml."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _count(text: str) -> int:
    count = float(text)
    if not 0 <= count <= _MOST:
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 to {_MOST:g}")
    return round(count)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="make cost", description=__doc__)
    parser.add_argument("--messages-a-day", type=_count, nargs="+", default=list(DEFAULT_MESSAGES_A_DAY), metavar="N")
    parser.add_argument(
        "--limit-tokens-a-day", type=_count, default=0, metavar="N", help="LIMIT_TOKENS_PER_DAY of the deployment"
    )
    parser.add_argument("--profile", choices=[*PROFILES, SELF_HOSTED], nargs="+", default=list(PROFILES))
    parser.add_argument("--load-balancer", action="store_true", help="with `load_balancer` of the deployment")
    parser.add_argument("--second", action="store_true", help="what a second deployment of the account adds")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/deploy.md")
    options = parser.parse_args()
    measured, prices = load("measured"), load("prices")
    if options.second:
        prices = without_free_tiers(prices)
    for profile in options.profile:
        months = [
            month_of(count, measured=measured, prices=prices, profile=profile, has_load_balancer=options.load_balancer)
            for count in options.messages_a_day
        ]
        print(f"profile {profile}:")
        if options.markdown:
            print(markdown(months, prices=prices, limits=Limits()))
        else:
            print(report(months, prices=prices, limit_tokens_a_day=options.limit_tokens_a_day))
        print()


if __name__ == "__main__":
    main()
