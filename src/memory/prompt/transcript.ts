// The transcript: keeps every record, and as the prompt shows all of it but the failed streaks that were recovered from.

import type { MemoryFactory } from "../../core/index.js";
import { remember } from "./remember.js";

/**
 * Opens a session's transcript. It knows no window, so it shortens nothing until a provider refuses a prompt as too long;
 * then that prompt is taken to be as large as the window, and shortened as `windowed` does.
 */
export const transcript: MemoryFactory = (session) =>
  remember(session, { window: Infinity, keep: 4, timeout: 0, summarize: undefined });
