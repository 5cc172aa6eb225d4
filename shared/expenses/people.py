"""From names in a call of the model to members.

A member's person key is the member's mark, so the record holds no id of LINE's; a person without a message is `~` and the name. A name
means the member with an equal name; else the only member with a name around the name: "sato" means "Ken Sato", and "al" is not "Sally".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shared.agent.overlay import StagingFault
from shared.agent.people import comparable_name
from shared.expenses.expense import NAME_LIMIT, PEOPLE_LIMIT, unnamed
from shared.frozen import frozen
from shared.line.graphemes import short_line
from shared.search.folding import fold

STRANGER: Final = "~"
"""Begins the key of a person who never wrote in the chat."""
_SELF: Final = frozenset(map(fold, ("me", "i", "myself", "私", "わたし", "僕", "俺", "自分", "我", "ฉัน", "ผม")))


@frozen
class Circle:
    """The people of a chat by person key, with names, and the key of the asking person.

    `asker`: empty where LINE names no user; None where several people ask, and the call may be of any of them.
    `forgotten`: people of open expenses after `/forget me`: the shares stay, and an amount for everybody leaves these people out.
    """

    names: Mapping[str, str]
    asker: str | None
    forgotten: frozenset[str] = frozenset()

    def key_of(self, name: str) -> str:
        """Return the person key that the name means.  Raises: StagingFault, if the name means several members, or nobody.

        For example, "ken" is Ken Sato where no other member is named Ken, and Kenji of another chat is `~Kenji`.
        """
        asked = comparable_name(name)
        if not asked:
            raise StagingFault("A name is empty; ask who is meant.", may_retry=True)
        if asked in _SELF:
            return self.self_key
        compared = {key: comparable_name(other) for key, other in self._shown_names.items()}
        equal = [key for key, other in compared.items() if other == asked]
        begins = re.compile(rf"(?<![a-z0-9]){re.escape(asked)}" if asked[0].isascii() else re.escape(asked))
        meant = equal or [key for key, other in compared.items() if begins.search(other)]
        if len(meant) > 1:
            shown = ", ".join(sorted(map(self.name_of, meant)))
            raise StagingFault(f"{name[:NAME_LIMIT]!r} may be {shown}: ask which of them is meant.")
        return meant[0] if meant else f"{STRANGER}{short_line(name, limit=NAME_LIMIT)}"

    @property
    def self_key(self) -> str:
        """The person key of the asking person.  Raises: StagingFault, where LINE names no user, or where several people may be meant.

        Source: LINE, "Common properties", `source`: `userId` only comes from people with LINE for iOS or Android.
        """
        if self.asker is None:
            raise StagingFault(
                'Several people write at once: pass the name of who paid as `payer`, and names instead of "me".',
                may_retry=True,
            )
        if not self.asker:
            raise StagingFault(
                'LINE does not say who writes this: ask the person to write again with names instead of "me",'
                " such as 'Ann paid 6000 for dinner, for Ann and Ben'.",
                may_retry=True,
            )
        return self.asker

    def keys_of(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the person keys, each once, in their order.  Raises: StagingFault."""
        keys = tuple(dict.fromkeys(map(self.key_of, names)))
        if len(keys) > PEOPLE_LIMIT:
            raise StagingFault(f"An expense has at most {PEOPLE_LIMIT} people.")
        return keys

    def name_of(self, key: str) -> str:
        """Return the name of a person key."""
        return self.names.get(key) or (key.removeprefix(STRANGER) if key.startswith(STRANGER) else unnamed(key))

    def names_of(self, keys: Iterable[str]) -> Mapping[str, str]:
        """Return the names of the person keys, without people who are forgotten."""
        return {key: self.name_of(key) for key in keys if key not in self.forgotten}

    @property
    def _shown_names(self) -> Mapping[str, str]:
        return {**{key: unnamed(key) for key in self.forgotten}, **self.names}


def circle_of(
    members: Mapping[str, str], earlier: Mapping[str, str], *, asker: str | None, people: Iterable[str] = ()
) -> Circle:
    """Return the people of a chat: the people of earlier expenses, and the members with present names.

    `people` are the person keys of open expenses; a person key without a name is forgotten.

    Two people of one name get a number each, so "Ken" may be "Ken (1)" or "Ken (2)", and is asked about.
    """
    names = {**earlier, **members}
    namesakes: dict[str, list[str]] = {}
    for key in sorted(names):
        namesakes.setdefault(comparable_name(names[key]), []).append(key)
    numbered = {
        key: f"{names[key]} ({number})"
        for keys in namesakes.values()
        if len(keys) > 1
        for number, key in enumerate(keys, start=1)
    }
    return Circle(names={**names, **numbered}, asker=asker, forgotten=frozenset(people) - names.keys())


def unknown_count(names: Sequence[str], *, members: int | None) -> int:
    """Return how many members of a group the bot does not know; 0 where LINE does not say how many there are.

    For example, Ann wrote, and Ann named Dan once: of 5 members, 3 are unknown. Source: LINE, "Get number of users in a group chat": the
    bot itself is not counted.
    """
    return 0 if members is None else max(0, members - len(names))
