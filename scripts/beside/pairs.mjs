// The pairs of scripts/beside.mjs: packages beside lastcall, a program that uses the two together, and the sentence that it should say.

/** A program that prints the code and the message of its error, or that it works. */
const using = (imports, code) => `${imports}
try {
  ${code}
  console.log("works");
} catch ({ code, message }) {
  console.log(code + ": " + message);
}
process.exit();
`;

const aiSdk = (maker, make, id) =>
  using(
    `import { ${make} } from "@ai-sdk/${maker}";\nimport { fromAiSdk } from "lastcall/ai-sdk";`,
    `fromAiSdk(${make}({ apiKey: "none" })("${id}"));`,
  );
const anthropic = aiSdk("anthropic", "createAnthropic", "claude-sonnet-5");
const google = aiSdk("google", "createGoogleGenerativeAI", "gemini-3");
const mistral = aiSdk("mistral", "createMistral", "mistral-large");
const tooOld = (version, maker) =>
  new RegExp(`^configuration: .*specification ${version}.*v3 and v4.*npm install @ai-sdk/${maker}`);
const works = /^works$/;

const mcpClient = using(
  'import { mcpTools } from "lastcall/mcp";',
  'await mcpTools({ name: "a", command: "none-such" });',
);
const mcpServer = using(
  'import { mcpHandler } from "lastcall/mcp";\nimport { createAgent } from "lastcall";\nimport { scriptedModel } from "lastcall/testing";\nimport { taskCompletion } from "lastcall/tools";\nimport { openSession, memoryStore } from "lastcall/memory";',
  `const store = memoryStore();
  const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const handle = mcpHandler({ agents: { paint: { description: "Paints.", agent } }, sessions: (id) => openSession({ store, id }), token: "long" });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { host: "127.0.0.1", authorization: "Bearer long", "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await handle(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
  if (!response.ok) throw { code: response.status, message: await response.text() };`,
);
const telemetry = using('import { otel } from "lastcall/otel";', "await otel();");
const inPostgres = using(
  'import pg from "pg";\nimport { migrate, pgStore } from "lastcall/postgres";',
  `const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
  await migrate(pool);
  await pgStore(pool).list?.();`,
);
const onDbos = using(
  'import { hostOnDbos } from "lastcall/dbos";\nimport { createAgent } from "lastcall";\nimport { pgStore } from "lastcall/postgres";\nimport { scriptedModel } from "lastcall/testing";\nimport { taskCompletion } from "lastcall/tools";',
  `const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const pool = { query: async () => ({ rows: [] }), connect: async () => ({}), on: () => undefined, options: { connectionString: 'postgres://a' } };
  await hostOnDbos({ agents: { agent }, store: pgStore(pool), pool });`,
);
const onRestate = using(
  'import { hostOnRestate } from "lastcall/restate";\nimport { createAgent } from "lastcall";\nimport { pgStore } from "lastcall/postgres";\nimport { scriptedModel } from "lastcall/testing";\nimport { taskCompletion } from "lastcall/tools";',
  `const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
  const pool = { query: async () => ({ rows: [] }), connect: async () => ({}), on: () => undefined };
  await hostOnRestate({ agents: { agent }, store: pgStore(pool), ingress: "http://127.0.0.1:1", admin: "http://127.0.0.1:1", listen: { port: 0 }, address: "http://127.0.0.1:1" });`,
);
const ofTokens = using(
  'import { jwt } from "lastcall/jwt";',
  `const authenticate = jwt({ issuer: "i", audience: "a", jwksUrl: "https://a.example/" });
  await authenticate(new Request("http://localhost/", { headers: { authorization: "Bearer a.b.c" } }));`,
);
const client = using(
  'import { OpenAI } from "openai";\nimport { createAgent } from "lastcall";\nimport { openai } from "lastcall/model";\nimport { taskCompletion } from "lastcall/tools";\nimport { call, scriptedProvider } from "lastcall/testing";',
  `const provider = await scriptedProvider([[call("task_completion", { result: "yes" })]]);
  const client = new OpenAI({ apiKey: "none", baseURL: provider.url });
  const outcome = await createAgent({ model: openai({ client, model: "m" }), tools: [taskCompletion()] }).run("go");
  if (outcome.status !== "completed") throw { code: outcome.status, message: outcome.message };`,
);
const schema = using(
  'import { z } from "zod";\nimport { createAgent, tool } from "lastcall";\nimport { scriptedModel } from "lastcall/testing";\nimport { taskCompletion } from "lastcall/tools";',
  `const look = tool({ name: "look", description: "Looks", input: z.object({ at: z.string().optional() }), run: () => "seen" });
  createAgent({ model: scriptedModel([]), tools: [look, taskCompletion()] });`,
);
const harbor = using(
  'import { mkdirSync, writeFileSync } from "node:fs";\nimport { harborTasks } from "lastcall/evals";',
  `mkdirSync("set/a", { recursive: true });
  writeFileSync("set/a/task.toml", 'version = "1.0"');
  writeFileSync("set/a/instruction.md", "Write hello.");
  if ((await harborTasks("set")).length !== 1) throw new Error("no");`,
);
const bare = using(
  'import { createAgent } from "lastcall";',
  "if (typeof createAgent !== 'function') throw new Error('no');",
);
const npx = (line) => `npx --no-install lastcall ${line} < /dev/null`;

export const pairs = [
  { beside: "@ai-sdk/anthropic@1", program: anthropic, says: tooOld("v1", "anthropic") },
  { beside: "@ai-sdk/anthropic@2 ai@5", program: anthropic, says: tooOld("v2", "anthropic") },
  { beside: "@ai-sdk/anthropic@3 ai@6", program: anthropic, says: works },
  { beside: "@ai-sdk/anthropic@4 ai@7", program: anthropic, says: works },
  { beside: "@ai-sdk/google@1 ai@4", program: google, says: tooOld("v1", "google") },
  { beside: "@ai-sdk/google@2", program: google, says: tooOld("v2", "google") },
  { beside: "@ai-sdk/google@3", program: google, says: works },
  { beside: "@ai-sdk/mistral@2", program: mistral, says: tooOld("v2", "mistral") },
  {
    beside: "@ai-sdk/mistral@1",
    command: `MISTRAL_API_KEY=none ${npx('"go" --provider mistral --no-input')}`,
    says: /specification v1.*npm install @ai-sdk\/mistral/,
  },
  {
    beside: "@modelcontextprotocol/client@2.0.0",
    program: mcpClient,
    says: /client 2\.4 or later, and 2\.0\.0 is installed: npm install @modelcontextprotocol\/client@2$/,
  },
  {
    beside: "@modelcontextprotocol/server@2.0.0",
    program: mcpServer,
    says: /server 2\.4 or later, and 2\.0\.0 is installed: npm install @modelcontextprotocol\/server@2$/,
  },
  {
    beside: "@modelcontextprotocol/sdk@1",
    program: mcpClient,
    says: /client, which is not installed: npm install @modelcontextprotocol\/client@2$/,
  },
  {
    beside: "@opentelemetry/api@1.4",
    program: telemetry,
    says: /api 1\.9 or later, and 1\.4\.\d+ is installed: npm install @opentelemetry\/api@1$/,
  },
  { beside: "@opentelemetry/api@1.9 @opentelemetry/sdk-node@0.57", program: telemetry, says: works },
  {
    beside: "@opentelemetry/sdk-node@0.57",
    command: `OPENAI_BASE_URL=http://127.0.0.1:9/v1 OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9 ${npx('"go" --no-input')}`,
    says: /sdk-node 0\.200 or later, and 0\.57\.\d+ is installed: npm install/,
  },
  {
    beside: "@dbos-inc/dbos-sdk@4",
    program: onDbos,
    says: /dbos-sdk 5\.3 to below 5\.4, and 4\.[\d.]+ is installed: npm install @dbos-inc\/dbos-sdk@5\.3$/,
  },
  {
    beside: "@dbos-inc/dbos-sdk@5.2",
    program: onDbos,
    says: /dbos-sdk 5\.3 to below 5\.4, and 5\.2\.\d+ is installed: npm install @dbos-inc\/dbos-sdk@5\.3$/,
  },
  {
    beside: "@restatedev/restate-sdk@1.9",
    program: onRestate,
    says: /restate-sdk 1\.17\.2 or later, and 1\.9\.\d+ is installed: npm install @restatedev\/restate-sdk@1$/,
  },
  { beside: "jose@6", program: ofTokens, says: works },
  {
    beside: "jose@5",
    program: ofTokens,
    says: /jose 6 or later, and 5\.[\d.]+ is installed: npm install jose@6$/,
  },
  { beside: "pg@7", program: inPostgres, says: /package pg 7, .*pg 8 or later is needed: npm install pg@8$/m },
  { beside: "pg@8.10", program: inPostgres, says: works },
  {
    beside: "pg@8.10 react@17",
    command: npx('sessions --store "$DATABASE_URL"'),
    says: /pg 8\.11 or later, and 8\.10\.\d+ is installed: npm install pg@8/,
  },
  { beside: "openai@4", program: client, says: /openai 4\.[\d.]+.*6\.49 or later.*npm install openai/ },
  { beside: "openai@5", program: client, says: works },
  { beside: "openai@6.49", program: client, says: works },
  { beside: "openai@7", program: client, says: works },
  { beside: "react@17 react-dom@17", program: bare, says: works },
  { beside: "zod@3.22", program: schema, says: works },
  { beside: "zod@3.25", program: schema, says: works },
  { beside: "undici@6", program: bare, says: works },
  { beside: "undici@8", program: bare, says: works },
  { beside: "ai@4", program: bare, says: works },
  { beside: "ai@6", program: bare, says: works },
  { beside: "pg@7", program: bare, says: works },
  {
    beside: "@opentelemetry/api@1.3",
    program: telemetry,
    says: /api 1\.9 or later, and 1\.3\.\d+ is installed: npm install @opentelemetry\/api@1$/,
  },
  { beside: "@opentelemetry/api@1.10", program: telemetry, says: works },
  { beside: "@modelcontextprotocol/sdk@0.6", program: bare, says: works },
  {
    beside: "smol-toml@0.1",
    program: harbor,
    says: /smol-toml 1\.0 or later, and 0\.1\.\d+ is installed: npm install smol-toml@1$/,
  },
  { beside: "smol-toml@1.0", program: harbor, says: works },
  { beside: "zod@4.0", program: schema, says: works },
];
