// The ports that users may plug in: a dispatcher, a fetch function, or a client. They need no types of Node or of the DOM.

/** The control over one request that a dispatcher gives its handler. */
export interface DispatchControl {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** The headers of an answer, by their names in lower case, as a dispatcher gives them. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Takes what happens to one request. */
export interface DispatchHandler {
  onRequestStart(control: DispatchControl, context: unknown): void;
  onResponseStart(control: DispatchControl, status: number, headers: IncomingHeaders, statusMessage?: string): void;
  onResponseData(control: DispatchControl, bytes: Uint8Array): void;
  onResponseEnd(control: DispatchControl, trailers: IncomingHeaders): void;
  onResponseError(control: DispatchControl, error: Error): void;
}

/** A request for a dispatcher. */
export interface DispatchRequest {
  /** The scheme, the host and the port. */
  readonly origin: string;
  /** The path with the query. */
  readonly path: string;
  readonly method: "POST";
  readonly headers: Record<string, string>;
  /**
   * The bytes, or an array of their parts if they are long. undici takes any iterable of bytes, although its types do not say so;
   * a dispatcher of these types has to fit here.
   */
  readonly body: Uint8Array;
  /** 0: the dispatcher does not watch the time, since lastcall does. */
  readonly headersTimeout: 0;
  /** 0, like `headersTimeout`. */
  readonly bodyTimeout: 0;
}

/**
 * Holds connections and sends requests over them. The dispatchers of undici 7 and 8 (`Agent`, `Pool`, `ProxyAgent`, ...) are such.
 *
 * Contract: `dispatch` calls the handler for all that happens to the request, in order, and ends with `onResponseEnd` or
 * `onResponseError`. The body is sent as it is.
 */
export interface Dispatcher {
  dispatch(request: DispatchRequest, handler: DispatchHandler): boolean;
}

/** The settings of a request for a fetch function. */
export interface FetchRequest {
  readonly method: "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** A redirect is an answer like other answers: lastcall decides whether the key and the prompt may go there. */
  readonly redirect: "manual";
}

/** A function with the meaning of the global `fetch`: it gives redirects back, and reads compressed bodies itself. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** The parts of a response that are read. A `Response` is such. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: FetchBody | null;
}

/** The bytes of a response as they arrive. A `ReadableStream` of bytes is such. */
export interface FetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The headers of an answer. Names are compared without regard to case. */
export interface AnswerHeaders {
  /** The value of a header; null if the answer has no header of this name. */
  get(name: string): string | null;
}

/** A request for a client to make: a POST to a path under its base URL. */
export interface ClientRequest {
  readonly method: "post";
  readonly path: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A client of the package `openai`, of its major 6 or 7: an `OpenAI`, an `AzureOpenAI`, or an object of a class that extends them.
 *
 * Contract: `buildRequest` makes the whole request, with its address and its authorization, and sends nothing of it.
 */
export interface OpenAIClient {
  readonly baseURL: string;
  buildRequest(request: ClientRequest): Promise<{ readonly url: string; readonly req: object }>;
}
