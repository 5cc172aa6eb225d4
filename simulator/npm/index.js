// The verbs of a test of a LINE bot: a person says, taps, unsends; the test expects a reply or silence.
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_S = 5;
const QUIET_S = 0.5;
const START_MS = 30_000;
const SECRET = "local-channel-secret";
const TOKEN = "local-channel-access-token";

/** Starts the simulator and, if `bot` is a command, the bot; `{port}` in it is the bot's port. */
export async function startLine({ bot, command = ["line-simulator"], unmodified = false, webhookPath = "/callback", env = {}, options = [] } = {}) {
  const port = await freePort();
  const botPort = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const webhook = `http://127.0.0.1:${botPort}${webhookPath}`;
  const own = ["--port", String(port), "--webhook", webhook, "--person", "Alice", ...options];
  const started = bot?.map((part) => part.replaceAll("{port}", String(botPort)));
  const first = unmodified ? run([...command, "run", ...own, "--", ...started], { PORT: String(botPort), ...env }) : run([...command, ...own], {});
  const processes = [first];
  const line = new Line(url, processes);
  try {
    await listening(first, port);
    if (unmodified) await answering(line, first);
    else if (bot) {
      const connection = { PORT: String(botPort), LINE_API: url, LINE_API_BASE_URL: url };
      const secrets = { LINE_CHANNEL_SECRET: SECRET, LINE_CHANNEL_ACCESS_TOKEN: TOKEN };
      processes.push(run(started, { ...connection, ...secrets, CHANNEL_SECRET: SECRET, CHANNEL_ACCESS_TOKEN: TOKEN, ...env }));
      await listening(processes[1], botPort);
    }
  } catch (error) {
    await line.stop();
    throw error;
  }
  return line;
}

/** A running simulator. */
export class Line {
  #processes;

  constructor(url, processes = []) {
    this.url = url;
    this.#processes = processes;
  }

  /** Carries out an action of the control API. */
  async do(action, body = {}) {
    const headers = { "Content-Type": "application/json" };
    return this.#answer(fetch(`${this.url}/simulator/${action}`, { method: "POST", headers, body: JSON.stringify(body) }));
  }

  /** Reads from the control API. */
  async get(path, query = {}) {
    return this.#answer(fetch(`${this.url}/simulator/${path}?${new URLSearchParams(query)}`));
  }

  async person(name) {
    const { user_id: userId } = await this.do("add_person", { display_name: name });
    return new Person(this, userId, name);
  }

  async group(name, ...people) {
    const body = { name, user_ids: people.map((person) => person.userId) };
    const { chat_id: chatId } = await this.do("create_group", body);
    await this.do("join", { chat_id: chatId });
    return new Chat(this, chatId, name);
  }

  /** Forgets everything.  Returns: the first person. */
  async reset() {
    await this.wait();
    const { user_id: userId } = await this.do("reset");
    return new Person(this, userId, "Alice");
  }

  async wait({ withinS = PATIENCE_S } = {}) {
    const { is_settled: isSettled } = await this.do("wait", { timeout_s: withinS });
    if (!isSettled) throw new Error(`the bot has not answered every delivery after ${withinS} s`);
  }

  advanceClock(seconds) {
    return this.do("advance_clock", { seconds });
  }

  redeliver(sent) {
    return this.do("redeliver", { webhook_event_id: sent.webhook_event_id ?? sent });
  }

  recording() {
    return this.get("recording");
  }

  async replay(recording, { withinS = PATIENCE_S } = {}) {
    return (await this.do("replay", { recording, wait_s: withinS })).is_equal;
  }

  async stop() {
    await Promise.all([...this.#processes].reverse().map(end));
  }

  async #answer(response) {
    const answer = await response;
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.message);
    return body;
  }
}

/** A chat in which the bot is expected to speak. */
export class Chat {
  #newest = null;

  constructor(line, chatId, name) {
    this.line = line;
    this.chatId = chatId;
    this.name = name;
  }

  async botMessages(count = 0, { withinS = 0 } = {}) {
    const after = this.#newest ? { after: this.#newest } : {};
    return (await this.line.get("bot_messages", { chat_id: this.chatId, count, wait_s: withinS, ...after })).messages;
  }

  async expectReply(expected, { withinS = PATIENCE_S } = {}) {
    const [message] = await this.botMessages(1, { withinS });
    if (!message) throw new Error(`the bot said nothing within ${withinS} s`);
    this.#newest = message.line_message_id;
    const text = message.content.text ?? message.content.altText ?? "";
    const isExpected = expected === undefined || (expected instanceof RegExp ? expected.test(text) : expected === text);
    if (!isExpected) throw new Error(`expected ${expected instanceof RegExp ? expected : JSON.stringify(expected)}, the bot said ${JSON.stringify(text)}`);
    return message;
  }

  async expectSilence({ forS = QUIET_S } = {}) {
    await this.line.wait();
    const [message] = await this.botMessages(1, { withinS: forS });
    if (message) throw new Error(`expected silence, the bot said ${JSON.stringify(message.content.text ?? message.content.altText)}`);
  }
}

/** A person; by default they act in their 1:1 chat. */
export class Person extends Chat {
  constructor(line, userId, name) {
    super(line, userId, name);
    this.userId = userId;
  }

  say(text, { to, ...body } = {}) {
    return this.act("say", { text, ...body }, { to });
  }

  tap(label, { to, ...body } = {}) {
    return this.act("tap", { label, ...body }, { to });
  }

  sticker({ to } = {}) {
    return this.act("sticker", {}, { to });
  }

  image(content, { to, contentType = "image/png" } = {}) {
    const body = content ? { content_base64: Buffer.from(content).toString("base64"), content_type: contentType } : {};
    return this.act("image", body, { to });
  }

  unsend(sent) {
    return this.line.do("unsend", { user_id: this.userId, line_message_id: sent.line_message_id ?? sent });
  }

  follow() {
    return this.line.do("follow", { user_id: this.userId });
  }

  unfollow() {
    return this.line.do("unfollow", { user_id: this.userId });
  }

  act(action, body = {}, { to } = {}) {
    return this.line.do(action, { user_id: this.userId, chat_id: (to ?? this).chatId, ...body });
  }
}

function run([program, ...parameters], env) {
  const child = spawn(program, parameters, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
  child.failure = new Promise((_, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => reject(new Error(`${program} ended with status ${status}`)));
  });
  child.failure.catch(() => {});
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

async function listening(child, port) {
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    if (await Promise.race([isOpen(port), child.failure])) return;
    await sleep(50);
  }
  throw new Error(`nothing listens on port ${port} after ${START_MS / 1000} s`);
}

async function answering(line, child) {
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    await Promise.race([line.do("verify"), child.failure]);
    await line.wait();
    if ((await line.get("deliveries")).deliveries.at(-1)?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`the bot's webhook does not answer 200 after ${START_MS / 1000} s`);
}

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => { socket.destroy(); resolve(true); });
    socket.once("error", () => resolve(false));
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
