// Any server that speaks OpenAI's chat completions or Responses: what to send, what to do where it does not go along.

import type { Model, ModelEvent, ModelRequest, WrittenReply } from "../core/index.js";
import { follow, milliseconds } from "../core/internal.js";
import { client } from "./http/client.js";
import { defaultModel, modelFrom } from "./http/defaults.js";
import { endpoint } from "./http/endpoint.js";
import { ladder } from "./forcing.js";
import { type Forcing } from "./data/rung.js";
import { end, frames } from "./http/frames.js";
import { faultOf } from "./http/provider-fault.js";
import { readReply } from "./read/read-reply.js";
import { route, type Api } from "./route.js";
import { serverAt } from "./http/servers.js";
import { showing } from "./read/shown.js";
import { steady, type SteadyOptions } from "./steady/steady.js";
import type { WireReader } from "./wire/wire.js";

/** How to reach a model, and how to deal with it. */
export interface OpenAIOptions {
  /** Default: `OPENAI_MODEL`, else the model named in src/model/http/defaults.ts. */
  readonly model?: string | undefined;
  /** Default: `OPENAI_BASE_URL`, else https://api.openai.com/v1. */
  readonly baseURL?: string | undefined;
  /**
   * Default: `OPENAI_API_KEY`, which is sent only to api.openai.com, to the host of `OPENAI_BASE_URL` and to this
   * machine. Servers on this machine need none.
   */
  readonly apiKey?: string | undefined;
  /**
   * The API to keep to. By default it is chat completions, and the Responses API from the moment on when the model refuses
   * function tools together with reasoning there; where the server has none, chat completions without reasoning. Calls that
   * are asked for in XML always go over chat completions.
   */
  readonly api?: Api | undefined;
  /**
   * More keys for the request body, sent as they are: `temperature`, `reasoning_effort`, `max_completion_tokens`, `top_k`, ...
   * Over the Responses API three go by their names there: `max_completion_tokens` and `max_tokens` as `max_output_tokens`,
   * `reasoning_effort` as `reasoning: { effort }`.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How the model is made to call a tool. `ladder`, the default, starts with what is known of the server and goes a step
   * down, `required`, `auto`, `xml`, where it refuses or ignores it; anything else is kept to.
   */
  readonly forcing?: Forcing | "ladder" | undefined;
  /**
   * Whether calls that stand in the text of a reply are read (`<tool_call>`, `[TOOL_CALLS]`, ...), where it has no other.
   * Default: false with `required`, but true for servers known to leak them; true with `auto`, and where words alone
   * are a call (`onText`). In XML they always are.
   */
  readonly textCalls?: boolean | undefined;
  /** Milliseconds without a byte from the server before the request counts as broken. Default 120,000. */
  readonly idleTimeout?: number | undefined;
  /** Retries and the circuit around the provider; false for neither. Default: as `steady` has them. */
  readonly steady?: SteadyOptions | false | undefined;
}

/**
 * Makes a model of any OpenAI-compatible server.
 * @throws LastcallError `configuration` for a base URL that is none, `authentication` where a key is needed and there is none.
 */
export function openai(options: OpenAIOptions = {}): Model {
  const { model = modelFrom(process.env) ?? defaultModel, params = {}, idleTimeout = 120_000 } = options;
  const { baseURL, address, apiKey } = endpoint(options, process.env);
  milliseconds("idleTimeout", idleTimeout);
  const post = client(baseURL, apiKey, idleTimeout);
  const forcing = ladder(options.forcing ?? "ladder", serverAt(address), options.textCalls);
  const ways = route(options.api, model, address);

  /** Sends the request, and again in another form where the provider refuses that one. Returns a reader for the response. */
  async function* send(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, readonly [Response, WireReader], void> {
    for (;;) {
      const way = ways.way(forcing.rung);
      const { wire } = way;
      try {
        const settings = { ...params, ...way.adjusted };
        const body = wire.write(request, { forcing: forcing.rung, settings });
        return [await post(wire.path, body, signal), wire.reader()];
      } catch (thrown) {
        const changes = ways.refused(thrown, way);
        if (changes !== undefined) {
          yield* changes;
          continue;
        }
        const step = forcing.refused(thrown);
        if (step === undefined) throw thrown;
        yield step;
        yield { type: "prompt-rewrite", reason: "forcing" };
      }
    }
  }

  async function* attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    const [response, reader] = yield* send(request, signal);
    const readsText = forcing.readsText(!request.needsCall && request.tools.length > 0);
    const shown = showing(readsText ? request.tools : undefined);
    let hasEnd = false;
    for await (const brought of frames(response, signal, { address, idle: idleTimeout }))
      for (const frame of brought) {
        if (frame === end) hasEnd = true;
        else for (const event of reader.add(frame)) yield* shown.now(event);
      }
    const reply = await readReply(reader.end(hasEnd), request.tools, readsText);
    yield* shown.last(reply);
    const step = forcing.answered(reply, request.needsCall);
    if (step !== undefined) {
      yield step;
      yield { type: "prompt-rewrite", reason: "forcing" };
    }
    return reply;
  }

  const plain: Model = {
    name: model,
    provider: address,
    async *respond(request, signal) {
      let shown = false;
      // The client leaves a listener on the signal of every request, so each gets a signal of its own.
      const stop = new AbortController();
      const unfollow = follow(stop, signal);
      const source = attempt(request, stop.signal);
      try {
        signal.throwIfAborted();
        for (;;) {
          const next = await source.next();
          if (next.done === true) return next.value;
          shown ||= isShown(next.value);
          yield next.value;
        }
      } catch (thrown) {
        signal.throwIfAborted();
        const fault = faultOf(thrown, address);
        if (shown) yield { type: "reply-retracted", reason: fault.message };
        throw fault;
      } finally {
        unfollow();
      }
    },
  };
  return options.steady === false ? plain : steady(plain, options.steady);
}

/** True for what is withdrawn where the reply turns out to be none. */
function isShown({ type }: ModelEvent): boolean {
  return type === "text-delta" || type === "reasoning-delta" || type === "call-delta";
}
