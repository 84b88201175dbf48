// The transcript: keeps every record. The prompt shows all records, except failed streaks that the model has recovered from.

import type { MemoryFactory } from "../../core/index.js";
import { remember } from "./remember.js";

/**
 * Opens the transcript of a session. It does not know the window, so it shortens nothing until a provider refuses a prompt as
 * too long. The size of that prompt then counts as the window, and the prompt is shortened as `windowed` does it.
 */
export const transcript: MemoryFactory = (session) =>
  remember(session, { window: Infinity, keep: 4, timeout: 0, summarize: undefined });
