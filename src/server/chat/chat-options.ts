// The options of chats: the version of the page, and the tools that speak.

import { checkOptions, choiceOf, recordOf, type OptionKinds } from "../../core/internal.js";
import { spokenTools, type SpokenTools } from "./reply-parts.js";
import type { ChatVersion } from "./ui-chunk.js";

/** The options of chats. */
export interface ChatOptions {
  /** The major version of the AI SDK in the page: 7 of `ai` is 4 of `@ai-sdk/react`, and 6 is 3. Default 7. */
  readonly version?: ChatVersion | undefined;
  /**
   * Tools of your own whose calls are words in a chat, and the field with the words. Default: none besides `task_completion` (`result`),
   * `converse` (`message`) and `give_up` (`reason`).
   */
  readonly words?: Readonly<Record<string, string>> | undefined;
}

const chatOptions = { version: choiceOf(6, 7), words: recordOf("text") } satisfies OptionKinds<ChatOptions>;

/**
 * The options with their defaults.
 * @throws LastcallError `configuration` for a wrong option.
 */
export function chatSettings(options: ChatOptions = {}): {
  readonly version: ChatVersion;
  readonly spoken: SpokenTools;
} {
  checkOptions("chat", options, chatOptions);
  const { version = 7, words = {} } = options;
  return { version, spoken: { ...spokenTools, ...words } };
}
