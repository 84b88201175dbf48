// A server over stdio in plain JSON, without any package, so that it can break every rule of the protocol. Its argument is a file with its behaviour.
//
// { tools, later, pages } are lists of tools. The call of a tool with the name of a behaviour below shows it.

import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const settings = JSON.parse(readFileSync(process.argv[2], "utf8"));
let tools = settings.tools ?? [];
let caller;
const note = (text) => settings.log && appendFileSync(settings.log, `${text}\n`);
const write = (text) => process.stdout.write(text);
const idOf = (id) => (settings.textIds && id !== undefined ? String(id) : id);
const send = ({ id, ...message }) => {
  const line = JSON.stringify({ ...(!settings.bare && { jsonrpc: "2.0" }), id: idOf(id), ...message });
  if (!settings.isMute) write(`${settings.lists ? `[${line}]` : line}\n`);
};
const answer = (id, text, more = {}) => send({ id, result: { content: [{ type: "text", text }], ...more } });

const behaviours = {
  echo: (id, input) => answer(id, JSON.stringify(input)),
  caller: (id) => answer(id, JSON.stringify(caller)),
  pid: (id) => answer(id, String(process.pid)),
  environment: (id) => answer(id, JSON.stringify(process.env)),
  hang: () => note("hangs"),
  die: () => process.stderr.write("I am out of ink.\n", () => process.exit(7)),
  fail: (id) => answer(id, "There is no such page.", { isError: true }),
  refuse: (id) => send({ id, error: { code: -32602, message: "That page is not for you." } }),
  result: (id, { result }) => send({ id, result }),
  raw: (id, { line }) => write(`${line.replace("ID", id)}\n`),
  big: (id, { bytes }) => answer(id, "x".repeat(bytes)),
  endless(_id, { bytes }) {
    const piece = "x".repeat(1024 * 1024);
    const more = (left) => left > 0 && process.stdout.write(piece, () => more(left - piece.length));
    more(bytes);
  },
  noise(id) {
    write('Server started!\n{"jsonrpc"\n[1,2]\n\n');
    answer(id, "after the noise");
  },
  stray(id) {
    send({ id: 987_654, result: { content: [{ type: "text", text: "for nobody" }] } });
    send({ method: "notifications/nonsense", params: { progressToken: 5 } });
    answer(id, "the right one");
  },
  late(id, _input, token) {
    answer(id, "on time");
    send({ method: "notifications/progress", params: { progressToken: token, progress: 2 } });
    answer(id, "once more");
    send({ method: "notifications/progress", params: { progressToken: "nobody", progress: 3 } });
  },
  nothing: (id) => send({ id }),
  nameless: () => send({ id: null, error: { code: -32_700, message: "Parse error" } }),
  flood(id, { count }, token) {
    for (let progress = 1; progress <= count; progress += 1)
      send({
        method: "notifications/progress",
        params: { progressToken: token, progress, total: count, message: "on" },
      });
    answer(id, "flooded");
  },
  change(id) {
    tools = settings.later;
    send({ method: "notifications/tools/list_changed" });
    answer(id, "changed");
  },
};

function list(id, cursor) {
  const { nextCursor } = settings;
  if (settings.pages === undefined)
    return send({ id, result: { tools, ...(nextCursor !== undefined && { nextCursor }) } });
  const page = Number(cursor ?? 0);
  send({
    id,
    result: { tools: settings.pages[page] ?? [], ...(settings.endlessPages && { nextCursor: String(page + 1) }) },
  });
}

const take = {
  initialize(id, { clientInfo }) {
    caller = clientInfo;
    send({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "plain", version: "1" },
        ...(settings.instructions && { instructions: settings.instructions }),
        ...settings.handshake,
      },
    });
  },
  ping: (id) => send({ id, result: {} }),
  "tools/list": (id, { cursor } = {}) => setTimeout(() => list(id, cursor), settings.slowness ?? 0),
  "tools/call": (id, { name, arguments: input, _meta }) => {
    note(`call ${name}`);
    behaviours[name.replace(/^.*\./, "")]?.(id, input, _meta?.progressToken);
  },
};

/** The id of the question in the newest protocol, which a slow server answers late. */
let held;
note("start");
if (settings.exits) process.exit(settings.exits);
createInterface({ input: process.stdin }).on("line", (text) => {
  const { id, method, params } = JSON.parse(text);
  if (method === "notifications/cancelled") note("cancelled");
  if (method === "server/discover" && settings.diesWhenAsked) process.exit(1);
  if (method === "server/discover" && settings.isSilent) return;
  if (method === "server/discover" && settings.isSlow) return void (held = id);
  if (method === "initialize" && held !== undefined)
    send({ id: held, error: { code: -32601, message: "Method not found" } });
  if (id === undefined || method === undefined) return;
  if (take[method]) take[method](id, params);
  else send({ id, error: { code: -32601, message: "Method not found" } });
});
if (settings.staysAlive) setInterval(() => undefined, 1000);
