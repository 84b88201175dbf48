// The tests that a runtime leaves out: the file, a part of the test's name, and the reason. What a test takes from Node is not listed here: the
// stand-ins of `web` tell it when it is used.

const check = "a check of a foreign schema can't be stopped there";
const oldZod = "schemas of zod before 4.2 and of zod/mini";
const words = "words of Node";
const node = "functions and flags of Node that the test changes";

const withoutNode = [
  ["test/schema/json-schema.test.ts", "that would take for ever is stopped", check],
  ["test/schema/json-schema.test.ts", "references that double with each step", check],
  ["test/schema/loading.slow.test.ts", "is named, with what to install", words],
  ["test/core/data/fault.test.ts", "causes of any type are shown", "causes of Node's own fetch"],
  ["test/core/data/thrown.test.ts", "lost its stack everywhere", "a bundle has other names of files"],
  ["test/core/ports/toolbox.test.ts", "refuses a field named __proto__, at any depth", oldZod],
  ["test/schema/routes.test.ts", "a schema of zod 3", oldZod],
  ["test/schema/routes.test.ts", "a schema of zod/v", oldZod],
  ["test/schema/routes.test.ts", "a schema of zod 4.0", oldZod],
  ["test/schema/routes.test.ts", "a schema of zod 4.1", oldZod],
  ["test/memory/session/read-long.slow.test.ts", "", "threads, and memory that they share"],
  ["test/memory/store/sqlite-store.test.ts", "on a Node without SQLite", words],
  ["test/model/http/client-sender.test.ts", "that says nothing of the way", "the transport of Node"],
  ["test/model/transport/transport-of.test.ts", "in the place of undici's", "the transport of Node"],
  ["test/model/transport/send.test.ts", "is read as it was", "sockets, TLS and compression of Node"],
  [
    "test/model/http/client-sender.test.ts",
    "if the server of the keys could not be reached",
    "the port that the test asks is one that browsers refuse",
  ],
];

const inBrowsers = [
  ["test/core/time/abort.test.ts", "aborted by a timeout", words],
  ["test/model/transport/redirect.test.ts", "", "a browser hides redirects"],
  [
    "test/model/wire/wire-call.test.ts",
    "an own id of another form through a provider",
    "Chromium has no ReadableStream.from",
  ],
];

const inBundles = [["test/core/data/thrown.test.ts", "lost its stack everywhere", "a bundle has other names of files"]];

const dispatchers = "dispatchers of undici, which Bun replaces with its own";

const inBun = [
  ["test/core/data/fault.test.ts", "a fault of the user's program that nobody catches", node],
  ["test/core/data/json.test.ts", "agrees with the canonical texts", "a value of 100,000 levels takes minutes there"],
  ["test/core/loop/around-claim.test.ts", "by writing into the refusal", words],
  ["test/core/time/abort.test.ts", "aborted by a timeout", words],
  [
    "test/memory/session/open-session.test.ts",
    "whose first line was not written whole",
    "times of files, which Bun tells otherwise",
  ],
  ["test/memory/session/read-long.slow.test.ts", "where Node forbids threads", node],
  ["test/memory/store/file-journal.test.ts", "after a flush that failed", node],
  ["test/memory/store/file-journal.test.ts", "is flushed before it resolves", node],
  ["test/memory/store/file-store.test.ts", "a full disk is told of", node],
  [
    "test/schema/json-schema.test.ts",
    "that would take for ever is stopped",
    "JavaScriptCore gives up such a pattern itself, at times before the bound of time",
  ],
  ["test/model/http/client-sender.test.ts", "that says nothing of the way", "a header that Node's fetch adds"],
  ["test/model/http/client-sender.test.ts", "over the proxy in its fetchOptions", dispatchers],
  ["test/model/http/client-sender.test.ts", "whose identity is a certificate", "a package that takes Node alone"],
  ["test/model/transport/redirect.test.ts", "over a dispatcher with HTTP/2", dispatchers],
  ["test/model/transport/send.test.ts", "over a dispatcher with HTTP/2", dispatchers],
  ["test/model/transport/send.test.ts", "with the certificates that its dispatcher trusts", dispatchers],
  ["test/model/transport/send.test.ts", "talks HTTP/2 if its dispatcher may", dispatchers],
  ["test/model/transport/send.test.ts", "goes over the proxy of its dispatcher", dispatchers],
  ["test/model/transport/send.test.ts", "the proxy of the environment", dispatchers],
];

const sockets = "undici over Deno's sockets";

const inDeno = [
  ["test/core/data/fault.test.ts", "a fault of the user's program that nobody catches", node],
  ["test/memory/session/follow-session.slow.test.ts", "while the process is killed and followed by others", node],
  ["test/memory/session/read-long.slow.test.ts", "where Node forbids threads", node],
  ["test/memory/session/read-long.slow.test.ts", "however often its process is killed", node],
  ["test/memory/store/file-journal.test.ts", "after a flush that failed", node],
  ["test/memory/store/file-journal.test.ts", "is flushed before it resolves", node],
  ["test/memory/store/file-store.test.ts", "a full disk is told of", node],
  ["test/memory/store/file-store.test.ts", "that found room for its first half", node],
  ["test/memory/store/flushes.slow.test.ts", "", node],
  ["test/memory/store/read-journal.test.ts", "is closed by whoever stops reading", node],
  ["test/model/heal/arguments-text.test.ts", "200,000 numbers", "a bound of time, which Deno exceeds"],
  ["test/model/http/client-sender.test.ts", "that says nothing of the way", "a header that Node's fetch adds"],
  ["test/model/http/client-sender.test.ts", "over the proxy in its fetchOptions", sockets],
  ["test/model/http/client-sender.test.ts", "whose identity is a certificate", "a package that takes Node alone"],
  ["test/model/http/post.test.ts", "closed an idle connection (reset)", sockets],
  ["test/model/http/provider-fault.test.ts", "broken brotli", sockets],
  ["test/model/steady/fallback-killed.slow.test.ts", "", node],
  ["test/model/transport/send.test.ts", "over a dispatcher with HTTP/2", sockets],
  [
    "test/model/transport/send.test.ts",
    "over a fetch function > an answer in deflate",
    "Deno's fetch reads no deflate",
  ],
  ["test/schema/loading.slow.test.ts", "the packages loaded", node],
];

const lists = {
  deno: [...inBundles, ...inDeno],
  bun: [...inBundles, ...inBun],
  chromium: [...withoutNode, ...inBrowsers],
  workerd: withoutNode,
};

/** The tests of the file that the runtime leaves out: parts of their names, and the reasons. */
export const withoutIn = (runtime, file) =>
  (lists[runtime] ?? inBundles).filter(([where]) => where === file).map(([, part, reason]) => [part, reason]);
