"""The assembly: from ports to Dispatch.  Functions, tests and the simulation put the agent worker together here and nowhere else."""

from functools import partial
from typing import TYPE_CHECKING

from shared.access.admission import Admissions
from shared.access.budget_gate import BudgetGate
from shared.access.budgets import Budgets
from shared.access.invitations import Invitations
from shared.access.unadmitted_chats import UnadmittedChats
from shared.access.usage import DeploymentUsage
from shared.access.wrong_codes import WrongCodes
from shared.agent.catch_up import CatchUp
from shared.agent.chat_memory import ChatMemory
from shared.agent.confirmed_changes import ConfirmedCalls
from shared.agent.culprits import Culprits
from shared.agent.executor import ToolExecutor
from shared.agent.loop import Agent
from shared.agent.media_parts import MediaParts
from shared.agent.metered_model import MeteredModel
from shared.agent.people import People
from shared.agent.prompt import PromptBuilder
from shared.agent.refiling import PostponedNotices
from shared.agent.refused_prompts import RefusedPrompts
from shared.agent.registry import Registry
from shared.agent.responder import AgentResponder
from shared.agent.second_chance import SecondChance
from shared.agent.summaries import ModelCaptioner, ModelSummariser
from shared.agent.turn_contexts import TurnContexts
from shared.agent.turn_requests import Limits
from shared.calendars.store import CALENDAR_DUE
from shared.composition.features import Features, expenses_feature, metered_json_model, polls_feature
from shared.composition.once import once
from shared.composition.ports import Options, Ports
from shared.composition.reminders import Reminders
from shared.conversation.captions import CaptionWriter
from shared.conversation.compaction import Compaction
from shared.conversation.due import DueMarkers
from shared.conversation.history_reader import EntryIndex, HistoryReader
from shared.conversation.media import Media
from shared.conversation.pushes import PushAllowance
from shared.conversation.quoted_media import QuotedMedia
from shared.conversation.recap import RecapWriter
from shared.conversation.store import Conversation
from shared.features.stored_features import writer_of
from shared.handlers.admission import AdmissionHandler
from shared.handlers.command import CommandHandler
from shared.handlers.departure import DepartureHandler
from shared.handlers.dispatch import Dispatch
from shared.handlers.edit import EditHandler
from shared.handlers.edit_notice import EditNotice
from shared.handlers.erasure import ErasureHandler
from shared.handlers.flood import FloodHandler
from shared.handlers.forgetting import Forgetting
from shared.handlers.greeting import GreetingHandler
from shared.handlers.heartbeat import Heartbeat
from shared.handlers.intake import Intake
from shared.handlers.language import LanguageHandler
from shared.handlers.membership import MembershipHandler
from shared.handlers.message import MessageHandler
from shared.handlers.operator_chat import OperatorChat
from shared.handlers.question_press import QuestionPresses
from shared.handlers.silence import SilenceHandler
from shared.handlers.switches import Switchboard
from shared.handlers.tick import TickHandler
from shared.handlers.traces import Traces
from shared.handlers.translation import TranslationHandler
from shared.handlers.unnamed import UnnamedHandler
from shared.handlers.unsend import UnsendHandler, withdrawal_of
from shared.handlers.upkeep import Upkeep
from shared.hooks.retention import NoticeRetention
from shared.hooks.store import NOTICE_END, NOTICE_PUSH
from shared.knowledge.prompt_index import KnowledgeIndex
from shared.line.bot_name import BotName
from shared.line.display_names import DisplayNames
from shared.line.phrases import LocalePhrases, Phrases
from shared.line.presence import Presence
from shared.line.quota import PushBudget
from shared.metering import Metering, SeveralCharges
from shared.reminders.chat_summary import NextMessageSummary, PushedSummaries
from shared.reminders.delivery import Reminding
from shared.translation.store import translated_between
from shared.translation.translator import Translator
from shared.translation.turn import TranslationTurns
from shared.turns.additions import AllAdditions
from shared.turns.announcement import Announcer
from shared.turns.flood import Floods
from shared.turns.image_sets import ImageSets
from shared.turns.interjection import Interjection
from shared.turns.outbox import Outbox
from shared.turns.reply import Reply
from shared.turns.runner import TurnRunner
from shared.turns.waiting_room import WaitingRoom

if TYPE_CHECKING:
    from shared.composition.calendars import Calendars
    from shared.composition.hooks import Hooks
    from shared.handlers.postback import PostbackHandler


def assemble(ports: Ports, options: Options) -> Dispatch:
    """Return the Dispatch that handles every event of the agent worker."""
    conversations, clock, threads = ports.conversations, ports.clock, ports.threads
    bot_name = BotName(account=ports.line, configured=options.bot_name)
    phrases = LocalePhrases(locale=options.locale, bot_name=bot_name, time_zone=options.time_zone)
    usage = DeploymentUsage(
        objects=conversations.objects,
        threads=threads.names,
        clock=clock,
        day=conversations.ledger.day,
        instance=ports.instance,
        is_limited=options.limits.tokens_per_day > 0,
    )
    budgets = Budgets(limits=options.limits, deployment=usage, time_zone=options.time_zone)
    gate = BudgetGate(budgets=budgets, conversations=conversations)
    metering = Metering(clock=clock, gate=gate, charges=SeveralCharges((conversations.ledger, usage, ports.charges)))
    model = MeteredModel(model=ports.model, metering=metering)
    display_names = DisplayNames(profiles=ports.profiles, threads=threads.names, clock=clock)
    people = People(display_names=display_names, bot_name=bot_name)
    memory = ChatMemory(people=people, time_zone=options.time_zone, locale=options.locale)
    pushes = PushAllowance(
        budget=PushBudget(api=ports.line, clock=clock),
        reminders_per_day=options.reminder_pushes_per_day,
        clock=clock,
    )
    admissions = Admissions(store=conversations.objects.store, clock=clock)
    reminders = Reminders.of(ports, options, phrases, pushes, admissions)
    expenses = expenses_feature(options, memory, pushes.cost_of)
    polls = polls_feature(options, memory, pushes.cost_of)
    features = Features.of(ports, options, metering, memory, reminders.feature, expenses, polls)
    reader = HistoryReader(index=_index(ports, phrases), blocks=features.blocks)
    withdrawal = withdrawal_of(clock, features.stored)
    outbox = Outbox(
        line=ports.line,
        staged=writer_of(features.stored),
        holders=tuple(one.words for one in features.stored if one.writer is not None),
        attachments=features.cards,
        phrases=phrases,
        late_reply=options.late_reply,
        is_rich=options.is_rich,
        pushes=pushes,
        translated_between=translated_between,
        clock=clock,
    )
    runner = TurnRunner(
        reader=reader,
        outbox=outbox,
        room=WaitingRoom(new_event=threads.new_event),
        clock=clock,
        chance=ports.chance,
    )
    media = Media(source=ports.media, threads=threads.media, clock=clock)
    parts = MediaParts(media=media, files=ports.files, bucket=options.media_bucket)
    prompt = PromptBuilder(
        bot_name=bot_name,
        persona=options.persona,
        guides=features.guides,
        time_zone=options.time_zone,
        locale=options.locale,
    )
    presence = Presence(api=ports.line, threads=threads.presence, after_s=options.loading_after_s)
    fallback = ports.fallback_model
    agent = Agent(
        model=model,
        fallback=MeteredModel(model=fallback, metering=metering) if fallback is not None else None,
        tools=ToolExecutor(registry=Registry(features.tools, served=features.served.tools), threads=threads.tools),
        limits=Limits(),
        clock=clock,
        chance=ports.chance,
    )
    contexts = TurnContexts(overlays=features.overlays, clock=clock)
    patient = model if agent.fallback is None else SecondChance(model=model, second=agent.fallback, clock=clock)
    culprits = Culprits(model=patient, parts=parts)
    responder = AgentResponder(
        agent=agent,
        prompt=prompt,
        people=people,
        parts=parts,
        contexts=contexts,
        earlier_calls=features,
        catch_up=CatchUp(memory=memory),
        refused=RefusedPrompts(culprits=culprits),
        presence=presence,
        phrases=phrases,
    )
    summariser = ModelSummariser(model=patient, prompt=prompt, people=people, culprits=culprits)
    recaps = RecapWriter(
        summariser=summariser,
        limits=options.memory,
        clock=clock,
    )
    intake = Intake(
        reader=reader,
        policy=options.group_policy,
        bot_name=bot_name,
        operator=options.operator,
        has_hooks=ports.hooks is not None,
        has_calendar=ports.calendar is not None,
        has_translation=ports.translating_model is not None,
    )
    unadmitted = UnadmittedChats(clock=clock)
    traces = Traces(access=options.access, admissions=admissions, unadmitted=unadmitted)
    admission = AdmissionHandler(
        access=options.access,
        admissions=admissions,
        invitations=Invitations(store=conversations.objects.store, clock=clock),
        unadmitted=unadmitted,
        wrong_codes=WrongCodes(clock=clock),
        intake=intake,
        line=ports.line,
        phrases=phrases,
        clock=clock,
    )
    announcer = Announcer(runner=runner, outbox=outbox)
    hooks = _hooks(ports, phrases, pushes, announcer=announcer, reader=reader, admission=admission)
    calendars = _calendars(ports, phrases, announcer, admission)
    changes = ConfirmedCalls(
        tools=agent.tools, contexts=contexts, phrases=phrases, locale=options.locale, time_zone=options.time_zone
    )
    reply = Reply(
        runner=runner,
        responder=responder,
        changes=changes,
        quoted=QuotedMedia(media=media),
        image_sets=ImageSets(reader=reader, clock=clock),
        outbox=outbox,
        withdrawal=withdrawal,
        background=threads.background,
        requests=threads.requests,
        new_event=threads.new_event,
        phrases=phrases,
        budgets=budgets,
        additions=AllAdditions(
            (
                reminders.additions,
                PostponedNotices(locale=options.locale),
                *((hooks.additions,) if hooks is not None else ()),
            )
        ),
        clock=clock,
    )
    upkeep = Upkeep(
        culprits=culprits,
        compaction=Compaction(recaps=recaps, limits=options.memory, clock=clock),
        captions=CaptionWriter(captioner=ModelCaptioner(model=patient, parts=parts), clock=clock),
    )
    message = MessageHandler(
        conversations=conversations,
        intake=intake,
        media=media,
        reply=reply,
        interjection=Interjection(
            runner=runner, responder=responder, outbox=outbox, phrases=phrases, budgets=budgets, clock=clock
        ),
        flood=FloodHandler(
            floods=Floods(clock=clock), reader=reader, reply=reply, withdrawal=withdrawal, upkeep=upkeep, clock=clock
        ),
        upkeep=upkeep,
        withdrawal=withdrawal,
        presence=presence,
        people=people,
        usage=usage,
        next_message=hooks.next_message if hooks is not None else None,
        calendar=calendars.next_message if calendars is not None else None,
        translation=_translation(ports, metering, runner=runner, people=people, budgets=budgets),
        summary=NextMessageSummary(
            runner=runner,
            outbox=outbox,
            summariser=summariser,
            budgets=budgets,
            wording=reminders.delivery.wording,
            phrases=phrases,
            clock=clock,
        )
        if options.reminding is not Reminding.OFF
        else None,
    )
    translation = TranslationHandler(conversations=conversations, announcer=announcer, reader=reader, phrases=phrases)
    silence = SilenceHandler(
        conversations=conversations,
        announcer=announcer,
        profiles=ports.profiles,
        line=ports.line,
        phrases=phrases,
        operator=options.operator,
        clock=clock,
    )
    erasure = ErasureHandler(
        conversations=conversations,
        announcer=announcer,
        withdrawal=withdrawal,
        reader=reader,
        membership=ports.line,
        presses=QuestionPresses(reader=reader, profiles=ports.profiles),
        silence=silence,
        hooks=hooks.commands if hooks is not None else None,
        translation=translation,
        phrases=phrases,
        features=features.stored,
    )
    language = LanguageHandler(conversations=conversations, announcer=announcer, phrases=phrases)
    command = CommandHandler(
        conversations=conversations,
        announcer=announcer,
        switchboard=Switchboard(features=features.switches, phrases=phrases),
        erasure=erasure,
        silence=silence,
        budgets=budgets,
        presence=presence,
        phrases=phrases,
        time_zone=options.time_zone,
        is_rich=options.is_rich,
        language=language,
    )
    return Dispatch(
        admission=admission,
        forgetting=Forgetting(conversations=conversations, intake=intake, traces=traces),
        intake=intake,
        message=message,
        command=command,
        operator_chat=OperatorChat(
            conversations=conversations,
            announcer=announcer,
            profiles=ports.profiles,
            phrases=phrases,
            operator=options.operator,
            clock=clock,
        ),
        presses=once(
            partial(
                _presses,
                ports,
                options,
                message,
                command,
                pushes=pushes,
                hooks=hooks,
                calendars=calendars,
                translation=translation,
            )
        ),
        greeting=GreetingHandler(
            conversations=conversations,
            announcer=announcer,
            switchboard=command.switchboard,
            phrases=phrases,
            is_rich=options.is_rich,
        ),
        membership=MembershipHandler(
            conversations=conversations, calendar=calendars.commands if calendars is not None else None
        ),
        edit=EditHandler(
            conversations=conversations,
            withdrawal=withdrawal,
            intake=intake,
            admission=admission,
            notice=EditNotice(announcer=announcer, changes=changes, budgets=budgets, phrases=phrases),
            translation=message.translation,
        ),
        departure=DepartureHandler(conversations=conversations, withdrawal=withdrawal, traces=traces),
        unsend=UnsendHandler(conversations=conversations, withdrawal=withdrawal, traces=traces),
        tick=TickHandler(
            markers=DueMarkers(store=conversations.objects.store),
            conversations=conversations,
            tasks={
                **withdrawal.tasks,
                **reminders.tasks(admission, PushedSummaries(reader=reader, summariser=summariser, phrases=phrases)),
                NOTICE_END: NoticeRetention(clock),
                NOTICE_PUSH: _do_nothing,
                **(hooks.tasks(admission) if hooks is not None else {}),
                **(calendars.tasks(admission) if calendars is not None else {CALENDAR_DUE: _do_nothing}),
                **{kind: admission.guarded(task) for kind, task in reply.tasks.items()},
            },
            threads=threads.ticks,
            heartbeat=_heartbeat(ports, options),
            renewals=features.served.listings.renewals(),
            usage=usage,
            clock=clock,
        ),
        unnamed=UnnamedHandler(line=ports.line, phrases=phrases, clock=clock),
        owned=options.owned_elsewhere,
        hooks=hooks.commands if hooks is not None else None,
        notices=hooks.notices if hooks is not None else None,
        calendar=calendars.commands if calendars is not None else None,
        translation=translation,
        clock=clock,
    )


def _translation(
    ports: Ports, metering: Metering, *, runner: TurnRunner, people: People, budgets: Budgets
) -> TranslationTurns | None:
    model = metered_json_model(ports.translating_model, ports.fallback_translating_model, ports, metering)
    if model is None:
        return None
    return TranslationTurns(
        runner=runner,
        outbox=runner.outbox,
        translator=Translator(model=model),
        people=people,
        budgets=budgets,
        phrases=runner.outbox.phrases,
        clock=ports.clock,
    )


def _index(ports: Ports, phrases: Phrases) -> EntryIndex:
    entries = KnowledgeIndex(is_shown=ports.json_model is not None)
    if ports.hooks is None:
        return entries
    from shared.hooks.prompt_block import NoticedIndex  # noqa: PLC0415 - only with HOOKS=on, as below

    return NoticedIndex(entries=entries, phrases=phrases, clock=ports.clock)


def _hooks(  # noqa: PLR0913 - what the assembly has built
    ports: Ports,
    phrases: Phrases,
    pushes: PushAllowance,
    *,
    announcer: Announcer,
    reader: HistoryReader,
    admission: AdmissionHandler,
) -> "Hooks | None":
    if ports.hooks is None:
        return None
    from shared.composition.hooks import Hooks  # noqa: PLC0415 - only with HOOKS=on, so that no cold start pays for it

    return Hooks.of(ports.hooks, ports, phrases, pushes, announcer=announcer, reader=reader, admission=admission)


def _calendars(ports: Ports, phrases: Phrases, announcer: Announcer, admission: AdmissionHandler) -> "Calendars | None":
    if ports.calendar is None:
        return None
    from shared.composition.calendars import Calendars  # noqa: PLC0415 - only with CALENDAR=on, so that no cold start pays for it

    return Calendars.of(ports.calendar, ports, phrases, announcer, admission)


def _presses(  # noqa: PLR0913 - what the assembly has built
    ports: Ports,
    options: Options,
    message: MessageHandler,
    command: CommandHandler,
    *,
    pushes: PushAllowance,
    hooks: "Hooks | None",
    calendars: "Calendars | None",
    translation: TranslationHandler,
) -> "PostbackHandler":
    from shared.composition.presses import press_handler  # noqa: PLC0415 - with the first press, so that no cold start pays for it

    return press_handler(
        ports, options, message, command, pushes=pushes, hooks=hooks, calendars=calendars, translation=translation
    )


def _do_nothing(_: Conversation, __: str) -> None:
    """Do nothing: the work of a feature that was on before."""


def _heartbeat(ports: Ports, options: Options) -> Heartbeat | None:
    if ports.webhook is None:
        return None
    return Heartbeat(
        checker=ports.webhook, model=ports.model_check, every_minutes=options.heartbeat_minutes, clock=ports.clock
    )
