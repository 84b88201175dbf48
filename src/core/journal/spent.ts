// Usage: the amounts that a run has used of its limits, and the estimate for its next request. Pure arithmetic.

import type { Attachment } from "../data/attachment.js";
import { argumentsOf, type Reply, type Usage } from "../data/call.js";
import { LastcallError } from "../data/fault.js";
import { isPlainObject } from "../data/json.js";

/** Amounts that count for the limits of a run. */
export interface Spent {
  /** The number of requests that a model answered. */
  readonly iterations: number;
  /** The number of input and output tokens, cached tokens included. */
  readonly tokens: number;
  /** The cost in the currency of the prices; 0 without a price. */
  readonly cost: number;
}

/** The limit that stopped a run. */
export type LimitReason = "max_iterations" | "timeout" | "token_budget" | "cost_budget";

/** The name of the call that waits when a run asks to go on at a limit. No tool of such an agent has it. */
export const raiseLimit = "raise_limit";

/** The question of a run that reached a limit: may it go on, for this much more? */
export interface LimitRaise {
  readonly limit: LimitReason;
  /** The amount that the run has used: iterations, milliseconds, tokens or cost. */
  readonly used: number;
  /** The amount that was allowed. */
  readonly allowed: number;
  /** The amount that a yes adds to it. */
  readonly more: number;
  /** The likely cost of this, in the currency of `limits.prices`. Absent without a price, and for a limit on the cost. */
  readonly cost?: number;
}

/** A limit that forbids the next request. */
export interface LimitReached {
  readonly reason: LimitReason;
  /** The bound and the amount used, in words for people. */
  readonly message: string;
  /** True if enough is left for a closing iteration. */
  readonly canClose: boolean;
}

/** No usage. */
export const nothingSpent: Spent = { iterations: 0, tokens: 0, cost: 0 };

/** The sum of two amounts. */
export function addSpent(a: Spent, b: Spent): Spent {
  return { iterations: a.iterations + b.iterations, tokens: a.tokens + b.tokens, cost: a.cost + b.cost };
}

/** The price of a model for a million tokens, in any currency. */
export interface Price {
  /** The price of input tokens. */
  readonly input: number;
  /** The price of input tokens that the provider read from its cache. Default: `input`. */
  readonly cachedInput?: number;
  /** The price of output tokens, reasoning included. */
  readonly output: number;
}

/** Prices by model name. */
export type Prices = Readonly<Record<string, Price>>;

/**
 * Checks a table of prices and returns it.
 * @throws LastcallError `configuration` that names the model and the problem with its price.
 */
export function checkPrices(prices: unknown): Prices {
  const wrong = (problem: string): LastcallError =>
    new LastcallError(
      "configuration",
      `${problem}: give { "model": { "input": 1.25, "cachedInput": 0.125, "output": 10 } }.`,
    );
  if (!isPlainObject(prices)) throw wrong("The prices are no table");
  for (const [model, price] of Object.entries(prices)) {
    if (!isPlainObject(price)) throw wrong(`The price of ${model} is none`);
    for (const key of Object.keys(price)) {
      if (!["input", "cachedInput", "output"].includes(key)) throw wrong(`The price of ${model} has a field ${key}`);
    }
    for (const key of ["input", "output", "cachedInput"]) {
      const value = price[key];
      if (value === undefined && key === "cachedInput") continue;
      if (typeof value !== "number" || !(value >= 0) || value === Infinity) {
        throw wrong(`The price of ${model} has ${key} ${JSON.stringify(value)}`);
      }
    }
  }
  return prices as Prices;
}

/** The price of the model; undefined if the table has none. */
export function priceOf(model: string, prices: Prices): Price | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** A model as prices see it: its name, and the names of the models that may answer for it. */
export interface Answering {
  readonly name: string;
  readonly models?: readonly string[] | undefined;
}

/** The price to reckon with before the model answers: the price of the dearest model that may. Undefined if no model has a price. */
export function expectedPrice({ name, models = [name] }: Answering, prices: Prices): Price | undefined {
  if (models.length === 1) return priceOf(models[0] ?? name, prices);
  return dearest(Object.fromEntries(Object.entries(prices).filter(([model]) => models.includes(model))));
}

/** The first model that may answer and has no price; undefined if each has a price. */
export function unpriced({ name, models = [name] }: Answering, prices: Prices): string | undefined {
  return models.find((model) => !Object.hasOwn(prices, model));
}

/** The cost of a usage; 0 without a price. */
export function costOf({ inputTokens, cachedInputTokens, outputTokens }: Usage, price: Price | undefined): number {
  if (price === undefined) return 0;
  const { input, cachedInput = input, output } = price;
  const uncached = Math.max(0, inputTokens - cachedInputTokens);
  return (uncached * input + cachedInputTokens * cachedInput + outputTokens * output) / 1_000_000;
}

/** The known size of the prompt. It is part of the state. */
export interface PromptSize {
  /** The tokens of the last prompt and its reply, as the provider counted them; 0 before it did. */
  readonly counted: number;
  /** The characters added to the prompt since then. */
  readonly characters: number;
  /** The tokens of the longest reply in this run. */
  readonly longestReply: number;
  /** The last request with known tokens and characters. Absent if there was none. */
  readonly measured?: { readonly tokens: number; readonly characters: number };
}

/** The prompt before the first message. */
export const emptyPrompt: PromptSize = { counted: 0, characters: 0, longestReply: 0 };

/** Characters per token, a cautious estimate: most tokenizers need fewer tokens. */
const charactersPerToken = 3;

/** The estimated tokens of a text with this many characters, rarely too few. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** The size of the prompt after a text was added, with its attachments. */
export function grown(prompt: PromptSize, text: string, attachments?: readonly Attachment[]): PromptSize {
  return { ...prompt, characters: prompt.characters + text.length + attachedLength(attachments) };
}

/** The characters that the tokens of attachments are worth. */
export function attachedLength(attachments: readonly Attachment[] = []): number {
  return attachments.reduce((sum, { tokens }) => sum + tokens * charactersPerToken, 0);
}

/** The size of the prompt after it was shortened to this many tokens. */
export function shortened(prompt: PromptSize, tokens: number): PromptSize {
  return { ...prompt, counted: tokens, characters: 0 };
}

/** The size of the prompt after a reply. `requestCharacters` is the number of characters of the request; 0 if it is unknown. */
export function afterReply(prompt: PromptSize, reply: Reply, requestCharacters = 0): PromptSize {
  const { inputTokens, outputTokens } = reply.usage;
  if (inputTokens > 0) {
    const longestReply = Math.max(prompt.longestReply, outputTokens);
    const counted = { counted: inputTokens + outputTokens, characters: 0, longestReply };
    if (requestCharacters > 0) return { ...counted, measured: { tokens: inputTokens, characters: requestCharacters } };
    return { ...prompt, ...counted };
  }
  const characters = prompt.characters + lengthOf(reply);
  return { ...prompt, characters, longestReply: Math.max(prompt.longestReply, replyTokens(reply)) };
}

/** The minimum of tokens per character. A provider that counts less leaves something out, such as cached tokens. */
const minTokensPerCharacter = 1 / 6;

/**
 * Estimates the tokens of a request with this many characters. The estimate goes by the provider's count for the last measured
 * request. Characters beyond the size of that request are estimated cautiously, and so is everything before the first count.
 */
export function tokensOf({ measured }: PromptSize, characters: number): number {
  if (measured === undefined) return estimateTokens(characters);
  const ratio = Math.max(minTokensPerCharacter, measured.tokens / measured.characters);
  const extra = Math.max(0, characters - measured.characters);
  return Math.ceil((characters - extra) * ratio + extra * Math.max(ratio, 1 / charactersPerToken));
}

/** The estimated tokens of a reply, rarely too few. */
export function replyTokens(reply: Reply): number {
  return estimateTokens(lengthOf(reply));
}

/** The number of characters of a reply's text and its calls' arguments. */
export function lengthOf({ text, calls }: Reply): number {
  const written = calls.map((call) => argumentsOf(call).length);
  return written.reduce((sum, length) => sum + length, text.length);
}

/**
 * Estimates the usage of the next request: the provider's last count plus the characters added since, and a reply as long as the
 * longest reply of the run. If the provider never counted, `overhead` is added: the characters of the system prompt and the tools.
 * No tokens are assumed to be cached.
 */
export function projectUsage({ counted, characters, longestReply }: PromptSize, overhead: number): Usage {
  const inputTokens = counted + estimateTokens(characters + (counted === 0 ? overhead : 0));
  return { inputTokens, cachedInputTokens: 0, outputTokens: longestReply, reasoningTokens: 0 };
}

/** The amounts of one request for the limits. */
export function spentOn(usage: Usage, price: Price | undefined): Spent {
  return { iterations: 1, tokens: usage.inputTokens + usage.outputTokens, cost: costOf(usage, price) };
}

/** The highest price of each kind in the table; undefined if the table is empty. */
export function dearest(prices: Prices): Price | undefined {
  const all = Object.values(prices);
  if (all.length === 0) return undefined;
  const highest = (of: (price: Price) => number): number => Math.max(...all.map(of));
  return {
    input: highest(({ input }) => input),
    cachedInput: highest(({ input, cachedInput = input }) => cachedInput),
    output: highest(({ output }) => output),
  };
}
