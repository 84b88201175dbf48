// The visit of a runtime at the side of Node: the events of its servers come in one long answer, and what they do is sent in order.

let current;

/** Begins a visit: `url` is the address of the side of Node. */
export async function beginVisit(url) {
  const id = crypto.randomUUID();
  const listeners = new Map();
  const leave = new AbortController();
  const { body } = await fetch(`${url}/events?visit=${id}`, { signal: leave.signal });
  void read(body, (event) => listeners.get(event.server)?.(event)).catch(() => undefined);
  let acts = [];
  let sending;
  const send = async () => {
    while (acts.length > 0) {
      const batch = acts;
      acts = [];
      await fetch(`${url}/acts?visit=${id}`, { method: "POST", body: JSON.stringify(batch) });
    }
    sending = undefined;
  };
  globalThis.filesOfTests ??= await (await fetch(`${url}/data`)).json();
  current = {
    listeners,
    act(server, act, more = {}) {
      acts.push({ server, act, ...more });
      sending ??= Promise.resolve().then(send);
    },
  };
  return { end: () => leave.abort() };
}

/** The visit that goes on. */
export const visit = () => current;

async function read(body, take) {
  let text = "";
  for await (const piece of pieces(body.pipeThrough(new TextDecoderStream()))) {
    const lines = (text + piece).split("\n");
    text = lines.pop();
    for (const line of lines) if (line !== "") take(JSON.parse(line));
  }
}

async function* pieces(stream) {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
