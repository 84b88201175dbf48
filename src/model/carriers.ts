// The second door of this layer: the parts for layers that carry requests in another way. No entry exports them.

export type { Answer, Carrier, Ignored } from "./data/carrier.js";
export { finishOf } from "./data/finish-reason.js";
export { servedBy, type RawCall, type RawReply } from "./data/raw-reply.js";
export { count, wholeUsage } from "./data/token-counts.js";
export { ladder } from "./forcing.js";
export { errorIn, type ErrorBody } from "./http/error-body.js";
export { mistakeIn } from "./http/model-mistake.js";
export { faultBy, faultOf, faultOfFrame } from "./http/provider-fault.js";
export { withoutKey } from "./http/without-key.js";
export { modelOver } from "./model-over.js";
export { isEmptyArguments } from "./wire/argument-pieces.js";
export { filesAfter, showingFor } from "./wire/parts.js";
export { refusedAttachments } from "./refused-attachments.js";
export { systemOf } from "./wire/conversation.js";
export { idsOf, wireId, wireName, type TakesId } from "./wire/wire-call.js";
export { wireTool } from "./wire/wire-schema.js";
export { xmlWriter } from "./wire/xml-dialect.js";
