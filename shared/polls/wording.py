"""The standing of a poll in words of the code: how many chose what, who, and who has not answered, as a text and as a card."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from shared.agent.receipts import quotable, without_receipt_symbols
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.line.cards.card import Card, CardButton, CardRow, written
from shared.line.ids import mask_ids
from shared.line.postback_data import VotePress
from shared.locales.language_file import language_file
from shared.locales.local_times import shown_moment
from shared.locales.placeholders import filled
from shared.polls.poll import OPTION_LIMIT, QUESTION_LIMIT, Poll, Vote, counted
from shared.polls.store import PollStore, is_vote_withdrawn

NAMES_SHOWN: Final = 8
_NAME_LIMIT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PollTexts:
    """The texts of polls in one language.  {question}, {count}, {names} and {when} are filled in."""

    vote_button: str
    votes: str
    closes: str
    closed: str
    unanswered: str
    people: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The members of a chat: the names of those whom the bot knows, by mark, and how many there are; None: LINE does not say."""

    names: Mapping[str, str] = field(default_factory=dict, repr=False)
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """Who has not answered: the names that the bot knows, and how many others there are."""

    names: tuple[str, ...] = field(default=(), repr=False)
    other_count: int = 0

    @classmethod
    def of(cls, group: Group, votes: Iterable[Vote]) -> "Unanswered":
        """Return who has not voted.

        For example, of a group of 5, Ann voted, and the bot knows Ann and Ben: Ben, and 3 others.
        """
        voters = {vote.member for vote in votes}
        names = tuple(name for mark, name in group.names.items() if mark not in voters)
        return cls(names=names, other_count=max(0, (group.size or 0) - len(voters) - len(names)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A poll with each member's newest vote at `now_ms`; `names` are the voters' by mark, as far as they are shown."""

    poll: Poll
    votes: tuple[Vote, ...]
    names: Mapping[str, str] = field(repr=False)
    now_ms: int
    unanswered: Unanswered = field(default_factory=Unanswered)

    def of_option(self, choice: int) -> tuple[Vote, ...]:
        """Return the votes for an option, in the order in which the members came to it."""
        return tuple(vote for vote in self.votes if vote.choice == choice)


def standing_of(
    conversation: Conversation, poll: Poll, amendments: Amendments, *, group: Group, now_ms: int
) -> Standing:
    """Return the standing of a poll as stored, in two round trips."""
    store = PollStore(conversation)
    votes = counted(vote for vote in store.votes(poll.id) if not is_vote_withdrawn(vote, amendments))
    return Standing(
        poll=poll,
        votes=votes,
        names=store.names_of(shown_votes(votes)),
        now_ms=now_ms,
        unanswered=Unanswered.of(group, votes),
    )


def shown_votes(votes: Sequence[Vote]) -> tuple[Vote, ...]:
    """Return the votes whose members are named: the first NAMES_SHOWN of each option."""
    shown: dict[int, list[Vote]] = {}
    for vote in votes:
        shown.setdefault(vote.choice, []).append(vote)
    return tuple(vote for of_option in shown.values() for vote in of_option[:NAMES_SHOWN])


def standing_card(standing: Standing, *, locale: str) -> Card:
    """Return the options with their votes, each with its button while votes count; then who has not answered, and until when."""
    poll, texts = standing.poll, _texts(locale)
    is_closed = poll.is_closed(standing.now_ms)
    question = _shown(poll.question, limit=QUESTION_LIMIT)
    rows = [_option_row(standing, choice, texts, is_closed=is_closed) for choice in range(len(poll.options))]
    if not is_closed:
        rows += [CardRow(text=text, is_heading=True) for text in _notes(standing, texts, locale=locale)]
    title = filled(texts.closed, question=question) if is_closed else question
    return Card(title=title, rows=tuple(rows))


def standing_text(standing: Standing, *, locale: str) -> str:
    """Return the card in words."""
    return written(standing_card(standing, locale=locale))


def _option_row(standing: Standing, choice: int, texts: PollTexts, *, is_closed: bool) -> CardRow:
    option, votes = _shown(standing.poll.options[choice], limit=OPTION_LIMIT), standing.of_option(choice)
    names = [standing.names.get(vote.member, "?") for vote in votes[:NAMES_SHOWN]]
    detail = filled(texts.votes, count=str(len(votes)))
    if votes:
        detail = f"{detail} · {_listed(names, len(votes) - len(names))}"
    data = VotePress(poll_id=standing.poll.id, choice=choice).data
    button = CardButton(label=texts.vote_button, value=data, shown=option)
    return CardRow(text=option, detail=detail, buttons=() if is_closed else (button,))


def _notes(standing: Standing, texts: PollTexts, *, locale: str) -> Iterable[str]:
    unanswered, poll = standing.unanswered, standing.poll
    if unanswered.names:
        names = unanswered.names[:NAMES_SHOWN]
        hidden = len(unanswered.names) - len(names) + unanswered.other_count
        yield filled(texts.unanswered, names=_listed(names, hidden))
    elif unanswered.other_count:
        yield filled(texts.unanswered, names=filled(texts.people, count=str(unanswered.other_count)))
    if poll.closes_ms is not None:
        this_year = poll.local(standing.now_ms).year
        yield filled(texts.closes, when=shown_moment(poll.local(poll.closes_ms), locale=locale, this_year=this_year))


def _listed(names: Iterable[str], hidden_count: int) -> str:
    line = ", ".join(_shown(name, limit=_NAME_LIMIT) for name in names)
    return f"{line}, +{hidden_count}" if hidden_count > 0 else line


def _shown(text: str, *, limit: int) -> str:
    return without_receipt_symbols(mask_ids(quotable(text, limit=limit)))


@cache
def _texts(locale: str) -> PollTexts:
    return language_file(locale).table("polls", PollTexts)
