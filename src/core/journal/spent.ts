// Spent: what a run has used up of its limits, and what the next request is likely to use. Pure arithmetic.

import { argumentsOf, type Reply, type Usage } from "../data/call.js";
import { LastcallError } from "../data/fault.js";
import { isPlainObject } from "../data/json.js";

/** What something used up. */
export interface Spent {
  /** Requests to a model that were answered. */
  readonly iterations: number;
  /** Tokens, in and out, cached ones included. */
  readonly tokens: number;
  /** In the currency of the prices; 0 where there are none. */
  readonly cost: number;
}

/** Nothing. */
export const nothingSpent: Spent = { iterations: 0, tokens: 0, cost: 0 };

/** The sum. */
export function addSpent(a: Spent, b: Spent): Spent {
  return { iterations: a.iterations + b.iterations, tokens: a.tokens + b.tokens, cost: a.cost + b.cost };
}

/** What a model costs, in any currency for a million tokens. */
export interface Price {
  readonly input: number;
  /** Tokens of the prompt that the provider read from its cache. Default: `input`. */
  readonly cachedInput?: number;
  /** Reasoning included. */
  readonly output: number;
}

/** Prices by the model's name. */
export type Prices = Readonly<Record<string, Price>>;

/**
 * The prices, checked.
 * @throws LastcallError `configuration` that names the model and what is wrong with its price.
 */
export function checkPrices(prices: unknown): Prices {
  const wrong = (what: string): LastcallError =>
    new LastcallError(
      "configuration",
      `${what}: give { "model": { "input": 1.25, "cachedInput": 0.125, "output": 10 } }.`,
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

/** The price of the model, where the table has one. */
export function priceOf(model: string, prices: Prices): Price | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** What the usage costs. */
export function costOf({ inputTokens, cachedInputTokens, outputTokens }: Usage, price: Price | undefined): number {
  if (price === undefined) return 0;
  const { input, cachedInput = input, output } = price;
  const fresh = Math.max(0, inputTokens - cachedInputTokens);
  return (fresh * input + cachedInputTokens * cachedInput + outputTokens * output) / 1_000_000;
}

/** What is known of the size of the prompt. Part of the state. */
export interface PromptSize {
  /** Tokens of the prompt and the reply, as the provider counted them last; 0 before it did. */
  readonly counted: number;
  /** Characters that came to the prompt since. */
  readonly characters: number;
  /** Tokens of the longest reply in this run. */
  readonly longestReply: number;
  /** A request of which both were known, the last one. Default: there was none. */
  readonly measured?: { readonly tokens: number; readonly characters: number };
}

/** Nothing was said yet. */
export const emptyPrompt: PromptSize = { counted: 0, characters: 0, longestReply: 0 };

/** Characters for a token, on the safe side: most tokenizers get along with fewer tokens. */
const charactersPerToken = 3;

/** How many tokens a text of so many characters has at most, as a rule. */
function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** The prompt's size after a text was added. */
export function grown(prompt: PromptSize, text: string): PromptSize {
  return { ...prompt, characters: prompt.characters + text.length };
}

/** The prompt's size after a step that shortened it to so many tokens. */
export function shortened(prompt: PromptSize, tokens: number): PromptSize {
  return { ...prompt, counted: tokens, characters: 0 };
}

/** The prompt's size after a reply; `asked` are the characters of the request, where they are known. */
export function afterReply(prompt: PromptSize, reply: Reply, asked = 0): PromptSize {
  const { inputTokens, outputTokens } = reply.usage;
  const longestReply = Math.max(prompt.longestReply, outputTokens);
  if (inputTokens > 0) {
    const measured = asked > 0 ? { measured: { tokens: inputTokens, characters: asked } } : {};
    return { ...prompt, counted: inputTokens + outputTokens, characters: 0, longestReply, ...measured };
  }
  const characters = prompt.characters + lengthOf(reply);
  return { ...prompt, characters, longestReply: Math.max(prompt.longestReply, replyTokens(reply)) };
}

/** A provider that counts less for a character leaves something out, cached tokens say. */
const leastRatio = 1 / 6;

/**
 * Tokens that a request of so many characters is likely to take: by what the provider counted for the last one, what is
 * more than that on the safe side, as all of it is before it counted.
 */
export function tokensOf({ measured }: PromptSize, characters: number): number {
  if (measured === undefined) return estimateTokens(characters);
  const ratio = Math.max(leastRatio, measured.tokens / measured.characters);
  const more = Math.max(0, characters - measured.characters);
  return Math.ceil((characters - more) * ratio + more * Math.max(ratio, 1 / charactersPerToken));
}

/** How many tokens a reply has at most, as a rule. */
export function replyTokens(reply: Reply): number {
  return estimateTokens(lengthOf(reply));
}

/** Characters of a reply's text and its calls' arguments. */
export function lengthOf({ text, calls }: Reply): number {
  const written = calls.map((call) => argumentsOf(call).length);
  return written.reduce((sum, one) => sum + one, text.length);
}

/**
 * The usage of the next request as it is likely to be: what the provider counted last and what came since, the overhead
 * (characters of the system prompt and the tools) where it never counted, and a reply as long as the longest of the run.
 * Nothing is taken to be cached.
 */
export function projectUsage({ counted, characters, longestReply }: PromptSize, overhead: number): Usage {
  const inputTokens = counted + estimateTokens(characters + (counted === 0 ? overhead : 0));
  return { inputTokens, cachedInputTokens: 0, outputTokens: longestReply, reasoningTokens: 0 };
}

/** What a usage counts for the limits. */
export function spentOn(usage: Usage, price: Price | undefined): Spent {
  return { iterations: 1, tokens: usage.inputTokens + usage.outputTokens, cost: costOf(usage, price) };
}

/** The highest of each price in the table; undefined where it is empty. */
export function dearest(prices: Prices): Price | undefined {
  const all = Object.values(prices);
  if (all.length === 0) return undefined;
  const most = (of: (price: Price) => number): number => Math.max(...all.map(of));
  return {
    input: most(({ input }) => input),
    cachedInput: most(({ input, cachedInput = input }) => cachedInput),
    output: most(({ output }) => output),
  };
}
