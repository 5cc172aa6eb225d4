"""The standing of a poll in words: the votes of each option, the voters, and the members without a vote, as a text and as a card."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Final

from shared.agent.receipts import quotable, without_receipt_symbols
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.line.cards.card import Card, CardButton, CardRow, written
from shared.line.display_names import LONGEST_DISTINCT_NAME
from shared.line.ids import mask_ids
from shared.line.postback_data import VotePress
from shared.locales.language_file import language_file
from shared.locales.lists import listed
from shared.locales.local_times import shown_moment
from shared.locales.placeholders import filled
from shared.polls.poll import OPTION_LIMIT, PLACE_LIMIT, QUESTION_LIMIT, Poll, Vote, counted, queued_since, waiting_in
from shared.polls.store import PollStore, is_vote_withdrawn

NAMES_SHOWN: Final = 8


@frozen
class PollTexts:
    """The texts of polls in one language.  {question}, {count}, {names} and {when} are filled in."""

    vote_button: str
    votes: str
    closes: str
    closed: str
    answers_close: str
    answers_closed: str
    called_off: str
    unanswered: str
    people: str
    attending: str
    absent: str
    unsure: str
    places: str
    waiting: str
    moved_up: str
    starts: str
    starts_at: str

    @property
    def of_meeting(self) -> tuple[str, str, str]:
        """The options of a meeting; the first is to take part."""
        return self.attending, self.absent, self.unsure


@frozen
class Group:
    """The members of a chat: the names of the members known to the bot, by mark, and the number of all; None: LINE does not say."""

    names: Mapping[str, str] = field(default_factory=dict, repr=False)
    size: int | None = None


@frozen
class Unanswered:
    """The members without a vote: the known names, and the number of the others."""

    names: tuple[str, ...] = field(default=(), repr=False)
    other_count: int = 0

    @classmethod
    def of(cls, group: Group, votes: Iterable[Vote]) -> "Unanswered":
        """Return the members without a vote.

        For example, of a group of 5, Ann voted, and the bot knows Ann and Ben: Ben, and 3 others.
        """
        voters = {vote.member for vote in votes}
        names = tuple(name for mark, name in group.names.items() if mark not in voters)
        return cls(names=names, other_count=max(0, (group.size or 0) - len(voters) - len(names)))


@frozen
class Standing:
    """A poll with each member's newest vote at `now_ms`; `names` are the shown voters' names by mark, `group` are all members."""

    poll: Poll
    votes: tuple[Vote, ...]
    names: Mapping[str, str] = field(default_factory=dict, repr=False)
    now_ms: int
    group: Group = field(default_factory=Group)
    waited: tuple[str, ...] = ()

    def named(self, names_of: Callable[[Sequence[Vote]], Mapping[str, str]]) -> "Standing":
        """Return the standing with the names of the votes that are shown with names, which are read only now."""
        return replace(self, names=names_of(self.named_votes))

    @property
    def unanswered(self) -> Unanswered:
        """The members without a vote."""
        return Unanswered.of(self.group, self.votes)

    @property
    def waiting(self) -> tuple[Vote, ...]:
        """The votes of the members waiting for a place."""
        return waiting_in(self.poll, self.votes)

    @property
    def moved_up(self) -> tuple[Vote, ...]:
        """The votes of the members with a place who were told to wait (`waited`, by mark)."""
        waiting = {vote.member for vote in self.waiting}
        return tuple(vote for vote in self.of_option(0) if vote.member in self.waited and vote.member not in waiting)

    @property
    def named_votes(self) -> tuple[Vote, ...]:
        """The votes shown with names: the first NAMES_SHOWN of each option, of the queue, and of the members moved up."""
        of_options = (self.of_option(choice) for choice in range(len(self.poll.options)))
        groups = (*of_options, self.waiting, self.moved_up)
        return tuple(dict.fromkeys(vote for group in groups for vote in group[:NAMES_SHOWN]))

    @property
    def provenance(self) -> Provenance:
        """The messages behind the poll, and the presses and messages behind the votes that are shown with names."""
        return Provenance.union((self.poll.provenance, *(vote.provenance for vote in self.named_votes)))

    def of_option(self, choice: int) -> tuple[Vote, ...]:
        """Return the votes for an option, in the order of the members' choices."""
        return tuple(vote for vote in self.votes if vote.choice == choice)


def standing_of(
    conversation: Conversation, poll: Poll, amendments: Amendments, *, group: Group, now_ms: int
) -> Standing:
    """Return the standing of a poll as stored, in two round trips."""
    store = PollStore(conversation)
    standing_votes = tuple(vote for vote in store.votes(poll.id) if not is_vote_withdrawn(vote, amendments))
    votes_in_time = poll.votes_in_time(standing_votes)
    waited = members_waited(store, poll, votes_in_time)
    standing = Standing(poll=poll, votes=counted(votes_in_time), now_ms=now_ms, group=group, waited=waited)
    return standing.named(store.names_of)


def members_waited(store: PollStore, poll: Poll, votes: Iterable[Vote]) -> tuple[str, ...]:
    """Return the marks of the members told to wait by the last press, or by an answer since; a round trip, for a meeting of some places.

    `votes`: all votes in time.
    """
    if not poll.capacity:
        return ()
    last, _ = store.last_standing(poll.id)
    return (*last.waiting, *queued_since(poll, votes, last.newest))


def standing_card(standing: Standing, *, locale: str) -> Card:
    """Return the options with the votes, each with a button while votes count; then the members without a vote, and the closing time.

    The options of a meeting are in the card's language.
    """
    poll, texts = standing.poll, _texts(locale)
    is_closed = poll.is_closed(standing.now_ms)
    question = _shown(poll.question, limit=QUESTION_LIMIT)
    rows = [CardRow(text=text, is_heading=True) for text in _meeting(standing, texts, locale=locale)]
    rows += [_option_row(standing, choice, locale=locale, is_closed=is_closed) for choice in range(len(poll.options))]
    rows += [CardRow(text=text, is_heading=True) for text in _queue(standing, texts, locale=locale)]
    if not is_closed:
        rows += [CardRow(text=text, is_heading=True) for text in _notes(standing, texts, locale=locale)]
    closed = texts.answers_closed if poll.is_meeting else texts.closed
    ended = texts.called_off if poll.is_called_off else closed
    return Card(title=filled(ended, question=question) if is_closed else question, rows=tuple(rows))


def standing_text(standing: Standing, *, locale: str) -> str:
    """Return the card in words."""
    return written(standing_card(standing, locale=locale))


def _option_row(standing: Standing, choice: int, *, locale: str, is_closed: bool) -> CardRow:
    texts = _texts(locale)
    options = texts.of_meeting if standing.poll.is_meeting else standing.poll.options
    option, votes = _shown(options[choice], limit=OPTION_LIMIT), standing.of_option(choice)
    waiting = frozenset(standing.waiting) if choice == 0 else frozenset()
    votes = tuple(vote for vote in votes if vote not in waiting)
    names = [standing.names.get(vote.member, "?") for vote in votes[:NAMES_SHOWN]]
    limit = standing.poll.capacity if choice == 0 else 0
    detail = (
        filled(texts.places, count=str(len(votes)), capacity=str(limit))
        if limit
        else _count(len(votes), standing, texts)
    )
    if votes:
        detail = f"{detail} · {_listed(names, len(votes) - len(names), locale=locale)}"
    data = VotePress(poll_id=standing.poll.id, choice=choice).data
    button = CardButton(label=texts.vote_button, value=data, shown=option)
    return CardRow(text=option, detail=detail, buttons=() if is_closed else (button,))


def _count(count: int, standing: Standing, texts: PollTexts) -> str:
    return filled(texts.people if standing.poll.is_meeting else texts.votes, count=str(count))


def _meeting(standing: Standing, texts: PollTexts, *, locale: str) -> Iterable[str]:
    """Yield when and where a meeting is."""
    poll = standing.poll
    if poll.starts_ms is not None:
        this_year = poll.local(standing.now_ms).year
        when = shown_moment(poll.local(poll.starts_ms), locale=locale, this_year=this_year)
        place = _shown(poll.place, limit=PLACE_LIMIT)
        yield filled(texts.starts_at, when=when, place=place) if place else filled(texts.starts, when=when)


def _queue(standing: Standing, texts: PollTexts, *, locale: str) -> Iterable[str]:
    """Yield the members waiting for a place of a meeting, and the members with a place since the last standing."""
    for text, votes in ((texts.moved_up, standing.moved_up), (texts.waiting, standing.waiting)):
        if votes:
            names = [standing.names.get(vote.member, "?") for vote in votes[:NAMES_SHOWN]]
            yield filled(text, names=_listed(names, len(votes) - len(names), locale=locale))


def _notes(standing: Standing, texts: PollTexts, *, locale: str) -> Iterable[str]:
    unanswered, poll = standing.unanswered, standing.poll
    if unanswered.names:
        names = unanswered.names[:NAMES_SHOWN]
        hidden = len(unanswered.names) - len(names) + unanswered.other_count
        yield filled(texts.unanswered, names=_listed(names, hidden, locale=locale))
    elif unanswered.other_count:
        yield filled(texts.unanswered, names=filled(texts.people, count=str(unanswered.other_count)))
    if poll.closes_ms is not None and poll.closes_ms != poll.starts_ms:
        this_year = poll.local(standing.now_ms).year
        closes = texts.answers_close if poll.is_meeting else texts.closes
        yield filled(closes, when=shown_moment(poll.local(poll.closes_ms), locale=locale, this_year=this_year))


def _listed(names: Iterable[str], hidden_count: int, *, locale: str) -> str:
    return listed(
        (_shown(name, limit=LONGEST_DISTINCT_NAME) for name in names), locale=locale, hidden_count=hidden_count
    )


def _shown(text: str, *, limit: int) -> str:
    return without_receipt_symbols(mask_ids(quotable(text, limit=limit)))


def meeting_line(meeting: Poll, *, locale: str, now_ms: int) -> str:
    """Return a meeting's name, time and place in a line, for a reminder: "dinner Fri 27 Nov, 19:00, Shibuya"."""
    standing = Standing(poll=meeting, votes=(), now_ms=now_ms)
    return " ".join((meeting.question, *_meeting(standing, _texts(locale), locale=locale)))


def shown_choice(poll: Poll, choice: int) -> tuple[str, str]:
    """Return the question and an option, for use between quotation marks: ("Dinner?", "sushi")."""
    return _shown(poll.question, limit=QUESTION_LIMIT), _shown(poll.options[choice], limit=OPTION_LIMIT)


def options_of_meeting(locale: str) -> tuple[str, str, str]:
    """Return the options of a meeting in a language; the first is to take part."""
    return _texts(locale).of_meeting


@cache
def _texts(locale: str) -> PollTexts:
    return language_file(locale).table("polls", PollTexts)
