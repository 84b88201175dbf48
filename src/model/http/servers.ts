// The known servers: their usual address, and how well they enforce tool calls.

import { isLoopback } from "../transport/loopback.js";
import type { Forcing } from "../data/rung.js";

/** A known server, or kind of server. */
export interface KnownServer {
  readonly name: string;
  /** Its usual base URL. */
  readonly baseURL: string;
  /** The rung to start on: `required` if the server enforces it, `auto` if the server accepts it and ignores it. */
  readonly starts: Exclude<Forcing, "xml">;
  /** True if the server is known to send calls as text at times. */
  readonly leaksCalls: boolean;
}

/**
 * The known servers, recognized by host, or by port if they run on this machine. As of 2026-11, from their documentation and
 * issues.
 */
export const knownServers: readonly KnownServer[] = [
  { name: "OpenAI", baseURL: "https://api.openai.com/v1", starts: "required", leaksCalls: false },
  // ollama/ollama#11171, #17921: `tool_choice` is accepted and ignored.
  { name: "Ollama", baseURL: "http://127.0.0.1:11434/v1", starts: "auto", leaksCalls: true },
  // lmstudio-ai/lmstudio-bug-tracker#670, #2115: takes only the string "required"; sends `<tool_call>` in the content at times.
  { name: "LM Studio", baseURL: "http://127.0.0.1:1234/v1", starts: "required", leaksCalls: true },
  { name: "llama-server", baseURL: "http://127.0.0.1:8080/v1", starts: "required", leaksCalls: false },
];

/** The known server at an address. An unknown server starts on `required`. */
export function serverAt(address: string): Pick<KnownServer, "name" | "starts" | "leaksCalls"> {
  const url = new URL(address);
  const known = knownServers.find(({ baseURL }) => {
    const usual = new URL(baseURL);
    return isLoopback(usual) ? isLoopback(url) && url.port === usual.port : url.host === usual.host;
  });
  return known ?? { name: url.host, starts: "required", leaksCalls: false };
}
