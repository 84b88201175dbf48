// Any server that speaks OpenAI's chat completions, through the openai package, which is loaded at the first request.

import type OpenAI from "openai";
import {
  LastcallError,
  milliseconds,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type WrittenReply,
} from "../core/index.js";
import { accumulator, type Accumulator } from "./accumulate.js";
import { body as readBody } from "./body.js";
import { defaultModel } from "./defaults.js";
import { endpoint } from "./endpoint.js";
import { listWriter } from "./list-text.js";
import { nativeWriter, readNative, type NativeBody } from "./native.js";
import { faultOf, faultOfFrame } from "./provider-fault.js";
import { sseData } from "./sse.js";
import { steady, type SteadyOptions } from "./steady.js";

/** How to reach a model. */
export interface OpenAIOptions {
  /** Default: the model named in src/model/defaults.ts. */
  readonly model?: string;
  /** Default: `OPENAI_BASE_URL`, else https://api.openai.com/v1. */
  readonly baseURL?: string;
  /**
   * Default: `OPENAI_API_KEY`, which is sent only to api.openai.com, to the host of `OPENAI_BASE_URL` and to this
   * machine. Servers on this machine need none.
   */
  readonly apiKey?: string;
  /** More keys for the request body, sent as they are: `temperature`, `reasoning_effort`, `max_completion_tokens`, `top_k`, ... */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Milliseconds without a byte from the server before the request counts as broken. Default 120,000. */
  readonly idleTimeout?: number;
  /** Retries and the circuit around the provider; false for neither. Default: as `steady` has them. */
  readonly steady?: SteadyOptions | false;
}

/**
 * Makes a model of any OpenAI-compatible server.
 * @throws LastcallError `configuration` for a base URL that is none, `authentication` where a key is needed and there is none.
 */
export function openai(options: OpenAIOptions = {}): Model {
  const { model = defaultModel, params = {}, idleTimeout = 120_000 } = options;
  const { baseURL, address, apiKey } = endpoint(options, process.env);
  milliseconds("idleTimeout", idleTimeout);
  const write = nativeWriter();
  const listText = listWriter();
  let client: Promise<OpenAI> | undefined;
  /** What the provider made us change; kept for the requests after. */
  let adjusted: Readonly<Record<string, unknown>> = {};

  async function connect(): Promise<OpenAI> {
    const { default: Client } = await import("openai");
    return new Client({ baseURL, apiKey, organization: null, project: null, maxRetries: 0 });
  }

  async function post({ messages, ...rest }: NativeBody, signal: AbortSignal): Promise<Response> {
    const { messages: _ours, ...settings } = { ...params, ...adjusted } as Readonly<Record<string, unknown>>;
    const others = { ...settings, model, ...rest, stream: true, stream_options: { include_usage: true } };
    // A text with its content type goes out as it is; `chat.completions.create` would write the whole history anew.
    const body = `{"messages":${listText(messages)},${JSON.stringify(others).slice(1)}`;
    const headers = { "content-type": "application/json" };
    client ??= connect();
    const options = { body, headers, stream: true, signal, timeout: idleTimeout };
    return (await client).post("/chat/completions", options).asResponse();
  }

  async function* send(request: NativeBody, signal: AbortSignal): AsyncGenerator<ModelEvent, Response, void> {
    try {
      return await post(request, signal);
    } catch (thrown) {
      if (!asksForNoReasoning(thrown) || "reasoning_effort" in adjusted) throw thrown;
      adjusted = { reasoning_effort: "none" };
      const reason = `${model} takes no function tools together with reasoning here: sent again with reasoning_effort "none"`;
      yield { type: "request-adjusted", reason };
      return await post(request, signal);
    }
  }

  async function* attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    const response = yield* send(write(request), signal);
    const reply = accumulator();
    const hasEnd = yield* fill(reply, response, signal);
    const message = reply.message();
    if (hasEnd || message.finishReason !== undefined) return readNative(message);
    throw new LastcallError(
      "provider_unavailable",
      `The provider at ${address} closed the stream before the reply's end.`,
    );
  }

  /** Reads the body into the reply; true where it was seen to end as it should. */
  async function* fill(
    reply: Accumulator,
    response: Response,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, boolean, void> {
    const bytes = readBody(response, signal, idleTimeout);
    if (!response.headers.get("content-type")?.includes("text/event-stream")) {
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) pieces.push(piece);
      yield* reply.add(parse(Buffer.concat(pieces).toString()));
      return true;
    }
    for await (const data of sseData(bytes)) {
      if (data.trim() === "[DONE]") return true;
      const frame = parse(data);
      if (typeof frame === "object" && frame !== null && "error" in frame && frame.error)
        throw faultOfFrame(frame.error, address);
      yield* reply.add(frame);
    }
    return false;
  }

  function parse(data: string): unknown {
    try {
      return JSON.parse(data);
    } catch (thrown) {
      const message = `The provider at ${address} sent something that is not JSON: ${JSON.stringify(data.slice(0, 80))}.`;
      throw new LastcallError("provider_unavailable", message, { cause: thrown });
    }
  }

  const plain: Model = {
    name: model,
    provider: address,
    async *respond(request, signal) {
      let shown = false;
      // The client leaves a listener on the signal of every request, so each gets a signal of its own.
      const stop = new AbortController();
      const forward = (): void => {
        stop.abort(signal.reason);
      };
      signal.addEventListener("abort", forward, { once: true });
      const source = attempt(request, stop.signal);
      try {
        signal.throwIfAborted();
        for (;;) {
          const next = await source.next();
          if (next.done === true) return next.value;
          shown ||= next.value.type !== "request-adjusted";
          yield next.value;
        }
      } catch (thrown) {
        signal.throwIfAborted();
        const fault = faultOf(thrown, address);
        if (shown) yield { type: "reply-retracted", reason: fault.message };
        throw fault;
      } finally {
        signal.removeEventListener("abort", forward);
      }
    },
  };
  return options.steady === false ? plain : steady(plain, options.steady);
}

/** The known 400 of newer models on chat completions: function tools only with `reasoning_effort: "none"`. */
function asksForNoReasoning(thrown: unknown): boolean {
  const { status, message } = (thrown ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return (
    status === 400 &&
    typeof message === "string" &&
    message.includes("reasoning_effort") &&
    /function|tools/i.test(message)
  );
}
