// Asks a server on this machine how many tokens the model's window has, because it was started with that number.

import { isPlainObject } from "../../core/internal.js";
import { isLocal, type FoundModel } from "./find-model.js";

/** Milliseconds that the server has for an answer. */
const timeout = 500;

/**
 * The window in tokens, and a line about it for the person. Undefined if the server is elsewhere or does not say it. llama-server says it
 * in its list of models or in its properties, vLLM in its list of models.
 */
export async function findWindow(
  { model, baseURL }: Pick<FoundModel, "model" | "baseURL">,
  say: (line: string) => void,
): Promise<number | undefined> {
  if (baseURL === undefined || !isLocal(baseURL)) return undefined;
  const window = fromModels(await getJson(`${baseURL}/models`), model) ?? fromProperties(await properties(baseURL));
  if (window !== undefined)
    say(`The window of ${model} has ${String(window)} tokens, says the server. --window sets another.`);
  return window;
}

function fromModels(body: unknown, model: string): number | undefined {
  const listed = isPlainObject(body) && Array.isArray(body["data"]) ? body["data"].filter(isPlainObject) : [];
  const entry = listed.find(({ id }) => id === model);
  const { meta, max_model_len: maxLength } = entry ?? {};
  return tokens(isPlainObject(meta) ? meta["n_ctx"] : undefined) ?? tokens(maxLength);
}

function properties(baseURL: string): Promise<unknown> {
  return getJson(`${baseURL.replace(/\/v1\/?$/, "")}/props`);
}

function fromProperties(body: unknown): number | undefined {
  const settings = isPlainObject(body) ? body["default_generation_settings"] : undefined;
  return isPlainObject(settings) ? tokens(settings["n_ctx"]) : undefined;
}

function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

async function getJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeout), redirect: "error" });
    return response.ok ? await response.json() : undefined;
  } catch {
    // The window stays unknown, as it is for any other server.
    return undefined;
  }
}
