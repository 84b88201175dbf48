// lastcall/server: runs of agents over a store, and a fetch function that shows them.

export type { CloseOptions, FrameOptions, Hub, HubInput, StartedRun } from "./hub/hub.js";
export { createHub, type HubOptions } from "./hub/create-hub.js";
export type { ForeignSession } from "./hub/process-hub.js";
export type { HostAgent as HubAgent, HostRunOptions as HubRunOptions, HostStream as HubStream } from "../host/index.js";
export type { SessionSummary } from "./hub/session-summary.js";
export type { EventFrame, Frame, RecordFrame, ResetFrame } from "./feed/frame.js";
export type { AdmissionOptions } from "./http/admission.js";
export { createHandler, type HandlerOptions } from "./http/handler.js";
export type { GuardOptions } from "./http/guard.js";
export { serve, type ServeOptions, type Server } from "./http/serve.js";
export { aguiMapper, type AguiMapper, type AguiMapperOptions } from "./agui/agui-mapper.js";
export { aguiMessages } from "./agui/agui-thread.js";
export { readAguiInput, type AguiAnswer, type AguiInput, type AguiWords } from "./agui/agui-input.js";
export type {
  AguiEvent,
  AguiInterrupt,
  AguiMessage,
  AguiMetadata,
  AguiOutcome,
  AguiToolCall,
  AguiUsage,
} from "./agui/agui-event.js";
export type { ChatOptions } from "./chat/chat-options.js";
export type { ChatMetadata, ChatPart, ChatUiMessage, ChatVersion } from "./chat/ui-chunk.js";
