// Makes the messages of a page from the chunks of its stream, as the AI SDK does it in the page.

import { toJson } from "../../core/internal.js";
import type { ChatChunk, ChatDataChunk, ChatMetadata, ChatUiMessage } from "./ui-chunk.js";

type Draft = Record<string, unknown> & { type: string };
type ToolChunk = Extract<ChatChunk, { readonly toolCallId: string }>;
type ResponseChunk = Extract<ChatChunk, { readonly type: "tool-approval-response" }>;

/** A message of the assistant that grows by chunks. */
export class GrowingMessage {
  readonly #id: string;
  #metadata: ChatMetadata | undefined;
  readonly #parts: Draft[] = [];
  readonly #open = new Map<string, Draft>();
  /** The parts of calls and of data, by their ids: a message may have thousands. */
  readonly #known = new Map<string, Draft>();

  constructor(id: string) {
    this.#id = id;
  }

  /** The message as it is now, as plain JSON. */
  get message(): ChatUiMessage {
    const message = {
      id: this.#id,
      role: "assistant",
      ...(this.#metadata && { metadata: this.#metadata }),
      parts: this.#parts,
    };
    return JSON.parse(toJson(message) ?? "null") as ChatUiMessage;
  }

  add(chunk: ChatChunk): void {
    if ("toolCallId" in chunk) this.#addTool(chunk);
    else if (chunk.type === "tool-approval-response") this.#respond(chunk);
    else if ("data" in chunk) this.#addData(chunk);
    else this.#addOther(chunk);
  }

  #addOther(chunk: Exclude<ChatChunk, ToolChunk | ChatDataChunk | ResponseChunk>): void {
    switch (chunk.type) {
      case "start-step":
        this.#parts.push({ type: "step-start" });
        break;
      case "reset-step":
        this.#open.clear();
        this.#forget(this.#stepStart());
        break;
      case "text-start":
      case "reasoning-start": {
        const kind = chunk.type === "text-start" ? "text" : "reasoning";
        const part: Draft = { type: kind, ...(kind === "reasoning" && { id: chunk.id }), text: "", state: "streaming" };
        this.#open.set(`${kind} ${chunk.id}`, part);
        this.#parts.push(part);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const part = this.#open.get(`${chunk.type.split("-")[0] ?? ""} ${chunk.id}`);
        if (part !== undefined) part["text"] = String(part["text"]) + chunk.delta;
        break;
      }
      case "text-end":
      case "reasoning-end": {
        const part = this.#open.get(`${chunk.type.split("-")[0] ?? ""} ${chunk.id}`);
        if (part !== undefined) part["state"] = "done";
        break;
      }
      case "message-metadata":
        this.#metadata = chunk.messageMetadata;
        break;
      case "finish":
        this.#metadata = chunk.messageMetadata ?? this.#metadata;
        break;
      case "start":
      case "finish-step":
      case "abort":
      case "error":
        break;
    }
  }

  /** The number of parts up to the start of the step, with it. */
  #stepStart(): number {
    return this.#parts.findLastIndex(({ type }) => type === "step-start") + 1;
  }

  /** Drops the parts from this place on. */
  #forget(from: number): void {
    for (const { toolCallId, type, id } of this.#parts.splice(from)) {
      this.#known.delete(String(toolCallId));
      this.#known.delete(dataKey(type, id));
    }
  }

  #respond({ approvalId, approved, reason }: ResponseChunk): void {
    const asked = this.#parts.find((part) => (part["approval"] as { id?: unknown } | undefined)?.id === approvalId);
    if (asked === undefined) return;
    asked["state"] = "approval-responded";
    asked["approval"] = { ...(asked["approval"] as object), approved, reason };
  }

  #addTool(chunk: ToolChunk): void {
    const part = this.#toolPart(chunk);
    switch (chunk.type) {
      case "tool-input-start":
      case "tool-input-delta":
        part["state"] = "input-streaming";
        break;
      case "tool-input-available": {
        const { toolName, input, providerExecuted } = chunk;
        Object.assign(part, { toolName, state: "input-available", input, providerExecuted });
        Object.assign(part, { output: undefined, errorText: undefined });
        break;
      }
      case "tool-approval-request": {
        const { approvalId: id, approvalDescriptor: descriptor, isAutomatic } = chunk;
        Object.assign(part, { state: "approval-requested", approval: { id, descriptor, isAutomatic } });
        break;
      }
      case "tool-output-denied":
        part["state"] = "output-denied";
        break;
      case "tool-output-available": {
        const { output, providerExecuted = part["providerExecuted"] } = chunk;
        Object.assign(part, { state: "output-available", output, errorText: undefined, providerExecuted });
        break;
      }
      case "tool-output-error": {
        const { errorText, providerExecuted = part["providerExecuted"] } = chunk;
        Object.assign(part, { state: "output-error", errorText, output: undefined, providerExecuted });
        break;
      }
    }
  }

  /** The part of the call: a new part only for a chunk that has its input. */
  #toolPart(chunk: ToolChunk): Draft {
    const { toolCallId } = chunk;
    const known = this.#known.get(toolCallId);
    if (known !== undefined) return known;
    const part: Draft = { type: "dynamic-tool", toolName: "toolName" in chunk ? chunk.toolName : "", toolCallId };
    this.#parts.push(part);
    this.#known.set(toolCallId, part);
    return part;
  }

  #addData({ type, id, data, transient }: ChatDataChunk): void {
    if (transient === true) return;
    const known = id === undefined ? undefined : this.#known.get(dataKey(type, id));
    if (known !== undefined) {
      known["data"] = data;
      return;
    }
    const part: Draft = { type, id, data };
    this.#parts.push(part);
    if (id !== undefined) this.#known.set(dataKey(type, id), part);
  }
}

function dataKey(type: string, id: unknown): string {
  return `${type} ${String(id)}`;
}
