/** What an action that sends returns. */
export interface Sent {
  line_message_id: string | null;
  webhook_event_id: string | null;
}

/** A message of the bot: what it is, when and how it was sent, and the event that a reply answers. */
export interface BotMessage {
  line_message_id: string;
  content: Record<string, unknown> & { type: string };
  timestamp_ms: number;
  kind: "reply" | "push" | "multicast" | "broadcast" | "narrowcast" | null;
  reply_token: string | null;
  webhook_event_id: string | null;
}

export interface StartOptions {
  /** Whether the bot's calls of LINE's own hosts are led to the simulator, as by `line-simulator run`. */
  unmodified?: boolean;
  /** The command that starts the bot, with `{port}` for its port; it gets PORT, LINE_API, LINE_CHANNEL_SECRET and LINE_CHANNEL_ACCESS_TOKEN. */
  bot?: readonly string[];
  /** The command of the simulator; by default `line-simulator`, of the Python package. */
  command?: readonly string[];
  /** Further options of the simulator, e.g. `["--verified"]`. */
  options?: readonly string[];
  webhookPath?: string;
  env?: Readonly<Record<string, string>>;
}

export interface In {
  /** The chat in which the person acts; by default the 1:1 chat. */
  to?: Chat;
}

export interface Within {
  withinS?: number;
}

export function startLine(options?: StartOptions): Promise<Line>;

export class Line {
  readonly url: string;
  constructor(url: string);
  do(action: string, body?: object): Promise<any>;
  get(path: string, query?: Record<string, string | number>): Promise<any>;
  person(name: string): Promise<Person>;
  group(name: string, ...people: Person[]): Promise<Chat>;
  reset(): Promise<Person>;
  wait(options?: Within): Promise<void>;
  advanceClock(seconds: number): Promise<unknown>;
  redeliver(sent: Sent | string): Promise<unknown>;
  recording(): Promise<unknown>;
  replay(recording: unknown, options?: Within): Promise<boolean>;
  stop(): Promise<void>;
}

export class Chat {
  readonly line: Line;
  readonly chatId: string;
  readonly name: string;
  botMessages(count?: number, options?: Within): Promise<BotMessage[]>;
  expectReply(expected?: string | RegExp, options?: Within): Promise<BotMessage>;
  expectSilence(options?: { forS?: number }): Promise<void>;
}

export class Person extends Chat {
  readonly userId: string;
  say(text: string, options?: In & { mentioning?: string[]; quoting?: string }): Promise<Sent>;
  tap(label: string, options?: In & { value?: string }): Promise<{ action: Record<string, unknown>; webhook_event_id: string | null }>;
  sticker(options?: In): Promise<Sent>;
  image(content?: Uint8Array, options?: In & { contentType?: string }): Promise<Sent>;
  unsend(sent: Sent | string): Promise<Sent>;
  follow(): Promise<Sent>;
  unfollow(): Promise<Sent>;
  act(action: string, body?: object, options?: In): Promise<any>;
}
