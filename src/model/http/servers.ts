// What is known of servers: where they usually are, and how they take being made to call a tool.

import { isLoopback } from "./endpoint.js";
import type { Forcing } from "../data/rung.js";

/** A server, or a kind of server. */
export interface KnownServer {
  readonly name: string;
  /** Where it usually is. */
  readonly baseURL: string;
  /** Where the ladder starts: `required` where it is enforced, `auto` where it is taken and ignored. */
  readonly starts: Exclude<Forcing, "xml">;
  /** True where calls are known to come as text at times. */
  readonly leaksCalls: boolean;
}

/** Found by their host, or by their usual port where they run on this machine. As of 2026-11, by their documents and issues. */
export const knownServers: readonly KnownServer[] = [
  { name: "OpenAI", baseURL: "https://api.openai.com/v1", starts: "required", leaksCalls: false },
  // ollama/ollama#11171, #17921: `tool_choice` is taken and ignored.
  { name: "Ollama", baseURL: "http://127.0.0.1:11434/v1", starts: "auto", leaksCalls: true },
  // lmstudio-ai/lmstudio-bug-tracker#670, #2115: only the text "required"; `<tool_call>` at times in the content.
  { name: "LM Studio", baseURL: "http://127.0.0.1:1234/v1", starts: "required", leaksCalls: true },
  { name: "llama-server", baseURL: "http://127.0.0.1:8080/v1", starts: "required", leaksCalls: false },
];

/** What is known of the server at an address; for one that is not known, that `required` is to be tried. */
export function serverAt(address: string): Pick<KnownServer, "name" | "starts" | "leaksCalls"> {
  const url = new URL(address);
  const known = knownServers.find(({ baseURL }) => {
    const usual = new URL(baseURL);
    return isLoopback(usual) ? isLoopback(url) && url.port === usual.port : url.host === usual.host;
  });
  return known ?? { name: url.host, starts: "required", leaksCalls: false };
}
