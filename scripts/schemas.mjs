// Writes schemas/*.json, the JSON Schemas of the command's files, from the command's own tables: npm run schemas

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as prettier from "prettier";
import { agentFields, allowedTools, readingTools } from "../src/cli/agent-files/stated-agent.ts";
import { rows } from "../src/cli/args/option-table.ts";
import { fileNames, jobNames } from "../src/cli/args/options.ts";
import { readers } from "../src/cli/args/values.ts";
import { serverFields, serverTypes } from "../src/cli/mcp-config/stated-server.ts";

// Editors know this version best.
const $schema = "http://json-schema.org/draft-07/schema#";
const texts = { type: "array", items: { type: "string" } };
const path = { type: "string", description: "A schema of this file, for editors. It changes nothing." };

/** The values in files by the readers of their words. A number may stand without quotes. */
const count = {
  anyOf: [
    { type: "integer", minimum: 1 },
    { type: "string", pattern: "^[1-9]\\d*$" },
  ],
};
const time = {
  anyOf: [
    { type: "number", exclusiveMinimum: 0 },
    { type: "string", pattern: "^\\d+(\\.\\d+)?(ms|s|m|h)?$" },
  ],
};
const amount = {
  anyOf: [
    { type: "number", exclusiveMinimum: 0 },
    { type: "string", pattern: "^\\d+(\\.\\d+)?$" },
  ],
};
const orNone = ({ anyOf }) => ({ anyOf: [...anyOf, { const: "none" }] });
const values = {
  count,
  "count or none": orNone(count),
  "time or none": orNone(time),
  "amount or none": orNone(amount),
  "edit command": { type: "string", pattern: "^\\s*[^:\\s][^:]*:[\\s\\S]*\\S" },
};

function config() {
  const properties = fileNames.map((name) => [name, { description: aboutOption(name), ...valueOf(name) }]);
  return {
    title:
      "Settings of lastcall: lastcall.config.json or .yaml in a folder, and config.json or .yaml in ~/.config/lastcall",
    ...settings({ $schema: path, ...Object.fromEntries(properties) }),
    definitions: { servers: servers() },
  };
}

function job() {
  const properties = jobNames.map((name) => [name, { description: aboutOption(name), ...valueOf(name) }]);
  const task = { type: "string", pattern: "\\S", description: "the task, in the words for the model" };
  return {
    title: "A job for lastcall run FILE: a task, and the options of its run",
    ...settings({ $schema: path, task, ...Object.fromEntries(properties) }),
    required: ["task"],
    definitions: { servers: servers() },
  };
}

function valueOf(name) {
  const { value, multiple, read } = rows[name];
  if (name === "mcp") return { anyOf: [texts, { $ref: "#/definitions/servers" }] };
  if (value === undefined) return { type: "boolean" };
  const words = read && readers[read].words;
  const one = words ? { enum: words } : (values[read] ?? { type: "string" });
  return multiple ? { type: "array", items: one } : one;
}

/** The help about an option. An option in the line of another one has the other one's help. */
function aboutOption(name) {
  const { help, default: usual } = rows[name];
  const text = typeof help === "string" ? help : `see ${help.in}`;
  return usual === undefined || text.includes("(default:") ? text : `${text} (default: ${usual})`;
}

const aboutServers = {
  type: "the way to the server; it follows from command or url",
  command: "the program to start",
  args: "its arguments",
  env: "variables that it gets; ${NAME} is a variable of the command's own environment",
  cwd: "the folder that it starts in",
  url: "the address of a server that runs already",
  headers: "headers of each request to it; ${NAME} is a variable of the environment",
  only: "the tools that are taken from it (default: all)",
  trust: "true: what it says about the effects of its tools is believed",
  timeout: "milliseconds for a call",
};
const kinds = {
  text: { type: "string", minLength: 1 },
  texts,
  "texts by name": { type: "object", additionalProperties: { type: "string" } },
  switch: { type: "boolean" },
  milliseconds: { type: "integer", minimum: 1, maximum: 2 ** 31 - 1 },
};

function servers() {
  const fields = Object.entries(serverFields).map(([name, kind]) => [
    name,
    { description: aboutServers[name], ...(name === "type" ? { enum: Object.keys(serverTypes) } : kinds[kind]) },
  ]);
  const without = (...names) => ({ not: { anyOf: names.map((name) => ({ required: [name] })) } });
  const server = {
    type: "object",
    // Fields of other programs change nothing here.
    properties: { ...Object.fromEntries(fields), disabled: { type: "boolean" }, enabled: { type: "boolean" } },
    oneOf: [
      { required: ["command"], ...without("url", "headers") },
      { required: ["url"], ...without("command", "args", "env", "cwd") },
    ],
  };
  return {
    type: "object",
    properties: { $schema: path, mcpServers: { type: "object", additionalProperties: server } },
    required: ["mcpServers"],
  };
}

const aboutAgents = {
  name: "the name of the agent, and of the tool that runs it (default: the name of the file)",
  description: "tells the model what the agent does, and when to call it",
  tools: `its tools (default: ${readingTools.join(", ")})`,
  model: "another model of the same server (default: the model of the run)",
};

function agent() {
  const values = {
    name: { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" },
    tools: { type: "array", items: { enum: allowedTools }, minItems: 1 },
  };
  const fields = agentFields.map((name) => [
    name,
    { description: aboutAgents[name], ...(values[name] ?? { type: "string", pattern: "\\S" }) },
  ]);
  return {
    title: "The front matter of an agent for lastcall: .lastcall/agents/NAME.md",
    ...settings(Object.fromEntries(fields)),
    required: ["description"],
  };
}

function settings(properties) {
  return { type: "object", properties, additionalProperties: false };
}

/** The schemas by the names of their files, as texts. */
export async function schemaFiles() {
  const mcp = { title: "MCP servers for lastcall: .mcp.json, or a file of --mcp", ...servers() };
  const all = { "config.json": config(), "mcp.json": mcp, "agent.json": agent(), "job.json": job() };
  const options = { ...(await prettier.resolveConfig(import.meta.filename)), parser: "json" };
  const written = Object.entries(all).map(async ([name, schema]) => [
    name,
    await prettier.format(JSON.stringify({ $schema, ...schema }), options),
  ]);
  return Object.fromEntries(await Promise.all(written));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folder = resolve(import.meta.dirname, "../schemas");
  for (const [name, text] of Object.entries(await schemaFiles())) writeFileSync(join(folder, name), text);
}
