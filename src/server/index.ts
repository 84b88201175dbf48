// lastcall/server: runs of agents over a store, and a fetch function that shows them.

export type { SessionSummary } from "./hub/session-summary.js";
export type { ChangesOf, SessionChanges, TurnedBack } from "./hub/changes-of.js";
export type { StoreStats } from "./hub/store-stats.js";
export { watchSession, type WatchOptions } from "./feed/feeds.js";
export type { TermsOf } from "./hub/hub.js";
export type { EventFrame, Frame, RecordFrame, ResetFrame } from "./feed/frame.js";
export type { AdmissionOptions } from "./http/admission.js";
export { createHandler, type Handler, type HandlerOptions } from "./http/handler.js";
export type { SignInEnds } from "./http/sign-in-route.js";
export type { GuardOptions } from "./http/guard.js";
export type { Sender } from "../guard/index.js";
export { bearerTokens, type BearerToken } from "./who/bearer-tokens.js";
export { signedCookie, type SignedCookie, type SignedCookieOptions } from "./who/signed-cookie.js";
export type { AccessOptions, OwnedSession } from "./who/access.js";
export {
  nodeHandler,
  serve,
  type HttpRequest,
  type HttpResponse,
  type NodeHandler,
  type ServeOptions,
  type Server,
} from "./http/serve.js";
export { aguiMapper, type AguiMapper, type AguiMapperOptions } from "./agui/agui-mapper.js";
export { aguiMessages } from "./agui/agui-thread.js";
export { readAguiInput, type AguiAnswer, type AguiInput, type AguiResult, type AguiWords } from "./agui/agui-input.js";
export type {
  AguiEvent,
  AguiInterrupt,
  AguiMessage,
  AguiMetadata,
  AguiOutcome,
  AguiToolCall,
  AguiUsage,
} from "./agui/agui-event.js";
export { sessionPage, type SessionPageOptions } from "./page/session-page.js";
export type { ChatOptions } from "./chat/chat-options.js";
export type { ChatMetadata, ChatPart, ChatUiMessage, ChatVersion } from "./chat/ui-chunk.js";
