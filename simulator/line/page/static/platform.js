// The HTTP API of the simulator: the state, its changes, and the actions of a person.

/** Calls `onState` with every new state, the functions of `onChanges` at the events of their names, and `onLost` while there is no connection. */
export function watch(onState, onChanges, onLost) {
  let isFetching = false;
  let isStale = false;

  async function refresh() {
    if (isFetching) {
      isStale = true;
      return;
    }
    isFetching = true;
    do {
      isStale = false;
      try {
        onState(await stateNow());
      } catch {
        onLost();
      }
    } while (isStale);
    isFetching = false;
  }

  const changes = new EventSource("/simulator/events");
  changes.addEventListener("changed", refresh);
  for (const [name, run] of Object.entries(onChanges)) changes.addEventListener(name, run);
  changes.addEventListener("error", onLost);
}

export async function stateNow() {
  return (await fetch("/simulator/state")).json();
}

export const deliveriesNow = async () => (await bodyOf(await fetch("/simulator/deliveries"))).deliveries;
export const requestsNow = async () => (await bodyOf(await fetch("/simulator/requests"))).requests;

/** What a bot needs to be connected: `{channel_id, channel_secret, channel_access_token, webhook_url}`. */
export const setupNow = async () => bodyOf(await fetch("/simulator/setup"));

/** Carries out an action and returns its result. Throws an Error that says why it is not possible. */
export async function act(name, body) {
  return bodyOf(await fetch(`/simulator/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }));
}

/** Sends the bytes of an image file. */
export async function sendImage(user_id, chat_id, file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return act("image", { user_id, chat_id, content_base64: btoa(binary), content_type: file.type });
}

/** The JSON of an answer. Throws an Error with the message of a refusal. */
export async function bodyOf(response) {
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}
