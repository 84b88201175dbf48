// A model on any server that speaks OpenAI's chat completions or Responses API. It adapts the request when the server refuses it.

import { LastcallError, type Model } from "../core/index.js";
import {
  atCaller,
  checkOptions,
  choiceOf,
  recordOf,
  listOf,
  type OptionKinds,
  milliseconds,
  soundData,
} from "../core/internal.js";
import { answerOf } from "./arriving-answer.js";
import { addressSender } from "./http/address-sender.js";
import { clientSender } from "./http/client-sender.js";
import { defaultModel, modelFrom } from "./http/defaults.js";
import { addressOf, endpoint } from "./http/endpoint.js";
import type { Carrier } from "./data/carrier.js";
import { type Forcing } from "./data/rung.js";
import { ladder } from "./forcing.js";
import { mistakeIn } from "./http/model-mistake.js";
import { faultOf } from "./http/provider-fault.js";
import { posting } from "./http/post.js";
import type { Sender } from "./http/sender.js";
import { modelOver } from "./model-over.js";
import { route, type Api } from "./route.js";
import { serverAt } from "./http/servers.js";
import { steady, type SteadyOptions } from "./steady/steady.js";
import type { Dispatcher, Fetch, OpenAIClient } from "./transport/ports.js";
import { refusesExtras } from "./wire/extras.js";
import { refusedAttachments } from "./refused-attachments.js";

/** The address of a model, and how requests to it are made. */
export interface OpenAIOptions {
  /**
   * The model's name. Default: the deployment of an `AzureOpenAI` client, else `OPENAI_MODEL`, else the model named in
   * src/model/http/defaults.ts.
   */
  readonly model?: string | undefined;
  /** The base URL of the server. Default: `OPENAI_BASE_URL`, else https://api.openai.com/v1. */
  readonly baseURL?: string | undefined;
  /**
   * The API key. Default: `OPENAI_API_KEY`, which is sent only to api.openai.com, to the host of `OPENAI_BASE_URL` and to
   * this machine. Servers on this machine need no key.
   */
  readonly apiKey?: string | undefined;
  /**
   * A client of the package `openai`, of its major 6 or 7: `new OpenAI(…)`, `new AzureOpenAI(…)`. It makes each request: the address with
   * its query, the authorization and the other headers. lastcall sends the request, with its own retries and timeouts; the `maxRetries`
   * and the `timeout` of the client are not used. The requests go over a `fetch` or over `fetchOptions` of the client if it has them.
   * A client takes the place of `baseURL`, `apiKey`, `headers`, `dispatcher` and `fetch`.
   */
  readonly client?: OpenAIClient | undefined;
  /**
   * Pins the API. The default is chat completions. If the model refuses function tools together with reasoning there, it
   * switches to the Responses API; if the server has no Responses API, to chat completions without reasoning. Requests on the
   * rung `xml` always go over chat completions.
   */
  readonly api?: Api | undefined;
  /**
   * More keys for the request body, sent unchanged: `temperature`, `reasoning_effort`, `max_completion_tokens`, `top_k`, ...
   * Three keys are translated for the Responses API: `max_completion_tokens` and `max_tokens` to `max_output_tokens`,
   * `reasoning_effort` to `reasoning: { effort }`.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The way in which the model is made to call a tool. `ladder`, the default, starts on the rung that suits the server and steps down
   * (`required`, `auto`, `xml`) when the server refuses or ignores it. Any other value pins that rung.
   */
  readonly forcing?: Forcing | "ladder" | undefined;
  /**
   * True if calls in the text of a reply are read (`<tool_call>`, `[TOOL_CALLS]`, ...) when the reply has no other calls.
   * Default: false with `required`, but true for servers known to leak such calls; true with `auto`, and when a plain
   * text reply counts as a call (`onText`). On the rung `xml` they are always read.
   */
  readonly textCalls?: boolean | undefined;
  /**
   * More headers for each request, for a gateway that needs them: `{ "x-portkey-provider": "openai" }`. The value of a header whose name
   * speaks of a key, token or secret is removed from error messages, as the API key is. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Milliseconds without a byte from the server after which the request fails. It also fails after five times as long in which the server
   * sends bytes but nothing of a reply: comments, or empty chunks. Default 120,000.
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Holds the connections, for TLS settings, HTTP/2, a proxy or a pool of your own: any dispatcher of undici 7 or 8. Default: one
   * dispatcher for all models of the process, over the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` set.
   */
  readonly dispatcher?: Dispatcher | undefined;
  /**
   * The media types of the attachments that the model takes, as `image/png`, `image/*` or `*`; `[]` for a model that reads text alone.
   * Other attachments are told in words. Default: all are sent; an attachment that the server refuses is told in words from then on.
   */
  readonly attachments?: readonly string[] | undefined;
  /** Sends the requests instead of a dispatcher, with the meaning of the global `fetch`. Default: none. */
  readonly fetch?: Fetch | undefined;
  /** Retries and the circuit breaker around the provider; false turns both off. Default: the defaults of `steady`. */
  readonly steady?: SteadyOptions | false | undefined;
}

const openaiOptions = {
  model: "text",
  baseURL: "text",
  apiKey: "text",
  client: "any",
  api: choiceOf("chat", "responses"),
  params: "object",
  headers: recordOf("text"),
  forcing: choiceOf("required", "auto", "xml", "ladder"),
  textCalls: "flag",
  idleTimeout: "number",
  attachments: listOf("text"),
  dispatcher: "object",
  fetch: "function",
  steady: ["object", choiceOf(false)],
} satisfies OptionKinds<OpenAIOptions>;

/**
 * Makes a model that sends its requests to an OpenAI-compatible server.
 * @throws LastcallError `configuration` for an invalid base URL, header or timeout, for both `dispatcher` and `fetch`, and for both a
 * client and an option that it takes the place of. LastcallError `authentication` if the server needs a key and none is given.
 */
export function openai(options: OpenAIOptions = {}): Model {
  return atCaller(openai, () => modelOf(options));
}

function modelOf(options: OpenAIOptions): Model {
  checkOptions("openai", options, openaiOptions);
  const { address, carrier } = carrierOf(options);
  const model = modelOver(carrier, ladder(options.forcing ?? "ladder", serverAt(address), options.textCalls));
  return options.steady === false ? model : steady(model, options.steady);
}

/** The options whose place a client takes. */
const ofClient = ["baseURL", "apiKey", "headers", "dispatcher", "fetch"] as const;

/** Sends requests for a model to an address. */
interface Sending {
  readonly model: string;
  readonly address: string;
  readonly sender: Sender;
}

function overClient(client: OpenAIClient, options: OpenAIOptions, timeout: number): Sending {
  type Given = (Partial<OpenAIClient> & { readonly deploymentName?: string }) | null;
  const { baseURL, buildRequest, deploymentName } = (client as Given) ?? {};
  if (typeof baseURL !== "string" || typeof buildRequest !== "function") {
    const message = "The option client takes an OpenAI or AzureOpenAI client of the package openai, 6.49 or newer.";
    throw new LastcallError("configuration", message);
  }
  expectNew(client);
  const both = ofClient.find((name) => options[name] !== undefined);
  if (both !== undefined) {
    const message = `Pass either client or ${both}: the client says where requests go, how they are authorized and how they travel.`;
    throw new LastcallError("configuration", message);
  }
  const model = options.model ?? deploymentName ?? modelFrom(process.env) ?? defaultModel;
  return { model, address: addressOf(baseURL), sender: clientSender(client, model, timeout) };
}

/**
 * The major 4 makes requests in another form. A client tells its version to servers.
 * @throws LastcallError `configuration` for a client that is too old.
 */
function expectNew(client: OpenAIClient): void {
  const { getUserAgent } = client as { getUserAgent?: () => unknown };
  const [, version, major] = /\/JS ((\d+)\.\S+)/.exec(String(getUserAgent?.call(client))) ?? [];
  if (version === undefined || Number(major) > 4) return;
  const message = `The client is of the package openai ${version}, and 6.49 or later is needed: npm install openai@6`;
  throw new LastcallError("configuration", message);
}

function overAddress(options: OpenAIOptions, timeout: number): Sending {
  const { model = modelFrom(process.env) ?? defaultModel, headers = {}, dispatcher, fetch } = options;
  const { baseURL, address, apiKey } = endpoint(options, process.env);
  const sender = addressSender({ baseURL, apiKey, headers, timeout }, { dispatcher, fetch });
  return { model, address, sender };
}

function carrierOf(options: OpenAIOptions): { readonly address: string; readonly carrier: Carrier } {
  const { client, idleTimeout = 120_000 } = options;
  const params = soundData(options.params ?? {});
  milliseconds("idleTimeout", idleTimeout);
  const sending = client === undefined ? overAddress(options, idleTimeout) : overClient(client, options, idleTimeout);
  const { model, address, sender } = sending;
  const { clean } = sender;
  const post = posting(sender, address, idleTimeout);
  const ways = route(options.api, model, address, params);
  /** True until the server refuses the keys that it put on earlier replies. */
  let extras = true;
  const takes = options.attachments ?? everyType;
  const files = refusedAttachments();

  const carrier: Carrier = {
    name: model,
    provider: address,
    attachments: options.attachments,
    /** Sends the request on the present way. If the provider refuses that way, returns the events of the change to another way. */
    async send(request, forcing, signal) {
      const way = ways.way(forcing);
      const { wire, settings } = way;
      const manner = { forcing, settings, extras, takes };
      try {
        const http = await post(wire.path, wire.write(files.without(request), manner), signal);
        files.taken(request);
        return answerOf(http, { address, idleTimeout, reader: wire.reader() });
      } catch (error) {
        const thrown = clean(error);
        if (mistakeIn(thrown) !== undefined) throw thrown;
        if (manner.extras && refusesExtras(thrown, request.messages, `${model} ${address}`)) {
          extras = false;
          const reason = "the server takes no extra keys on earlier replies: sent again without";
          return [
            { type: "request-adjusted", reason },
            { type: "prompt-rewrite", reason: "extras" },
          ];
        }
        const changes = files.refused(thrown, request) ?? ways.refused(thrown, way);
        if (changes !== undefined) return changes;
        throw thrown;
      }
    },
    faultOf: (thrown) => faultOf(clean(thrown), address),
    mistakeIn: (thrown) => mistakeIn(clean(thrown)),
  };
  return { address, carrier };
}

const everyType: readonly string[] = ["*"];
