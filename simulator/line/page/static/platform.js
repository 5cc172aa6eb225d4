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

const IMAGES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Sends a file as the app would: a picture, a video, a voice message, or a file with its name. */
export async function sendFile(user_id, chat_id, file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  const body = { user_id, chat_id, content_base64: btoa(binary), content_type: file.type || "application/octet-stream" };
  if (IMAGES.includes(file.type)) return act("image", body);
  if (/^(video|audio)\//.test(file.type)) return act(file.type.split("/")[0], body);
  return act("file", { ...body, file_name: file.name });
}

/** The JSON of an answer. Throws an Error with the message of a refusal. */
export async function bodyOf(response) {
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.message), { details: body.details });
  return body;
}
