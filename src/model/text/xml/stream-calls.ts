// Streams the arguments of XML calls: takes pieces of the text and returns pieces of JSON, in linear time.

import type { ToolDescription } from "../../../core/index.js";
import type { CallDelta } from "../../../core/internal.js";
import { LeafStream } from "./stream-leaf.js";
import { GrowingText } from "./growing-text.js";
import { decode } from "./leaf.js";
import { argumentsShape, type Shape } from "../reading/shape.js";
import { xmlOpener } from "./read-xml.js";

/** Reads calls while they arrive. */
export interface CallStream {
  /** Takes the next piece of the text. Returns the pieces of arguments that are certain by now. */
  write(piece: string): readonly CallDelta[];
  /** The tool names of the calls that have begun, in order. */
  readonly names: readonly string[];
}

/** An element that holds other elements. */
interface Parent {
  readonly name: string;
  readonly shape: Exclude<Shape, { readonly kind: "leaf" }>;
  readonly childNames: Set<string>;
}

const maxDepth = 100;
const section = "<![CDATA[";

/**
 * True if a `<tool>` directly after this text is certainly a call: nothing precedes it on its line, and no thinking, code or
 * result is open.
 */
export function isCertain(before: string): boolean {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (!/^(?:.*<\/(?:think|thinking|reasoning|thought)>)?\s*$/is.test(line)) return false;
  if (/^ {0,3}~~~|<!(?:DOCTYPE|ENTITY)|<(?:tool_result|tool_response|function_result)/im.test(before)) return false;
  const thinking = [...before.matchAll(/<(\/?)(?:think|thinking|reasoning|thought)>/gi)];
  if (thinking.length > 0 && thinking.at(-1)?.[1] === "") return false;
  const open = new Set<number>();
  for (const [run] of before.matchAll(/`+/g)) if (!open.delete(run.length)) open.add(run.length);
  return open.size === 0;
}

/**
 * Reads consecutive calls at the beginning of a text, as `findCalls` would, and writes their arguments as JSON. Each value that is
 * neither a list nor an object is a string. If a call can't be read with the limited lookahead, nothing more is returned, because
 * the whole reply is read later.
 */
export function streamCalls(tools: readonly ToolDescription[]): CallStream {
  return new Calls(tools);
}

class Calls implements CallStream {
  readonly names: string[] = [];
  readonly #tools: readonly ToolDescription[];
  readonly #text = new GrowingText();
  #name: string | undefined;
  #parents: Parent[] = [];
  #leaf: LeafStream | undefined;
  #deltas: CallDelta[] = [];
  /** The next step of reading. Returns false if it has to wait for more text. */
  #step: () => boolean = () => this.#between();
  #hasStopped = false;

  constructor(tools: readonly ToolDescription[]) {
    this.#tools = tools;
  }

  write(piece: string): readonly CallDelta[] {
    if (this.#hasStopped) return [];
    this.#deltas = [];
    this.#text.add(piece);
    while (this.#step());
    this.#hasStopped ||= this.#text.isStuck;
    return this.#deltas;
  }

  #between(): boolean {
    this.#text.skipSpace();
    const opener = this.#text.take(/<tool>/y, [xmlOpener]);
    if (opener !== null) this.#name = undefined;
    return this.#continueIf(opener, () => this.#head());
  }

  /** Reads the children of `<tool>` up to its arguments. */
  #head(): boolean {
    if (!this.#text.skipFiller()) return false;
    const name = this.#text.take(/<(tool_name|server_name)\s*>([^<]{0,500})<\/\1\s*>/y, [
      "<tool_name>",
      "<server_name>",
    ]);
    if (name === undefined) return false;
    if (name !== null) {
      const value = decode(name[2] ?? "").trim();
      const isName = name[1] === "tool_name";
      if (isName ? this.#name !== undefined || value === "" : value !== "local") return this.#stop();
      if (isName) this.#name = value;
      return true;
    }
    return this.#continueIf(this.#text.take(/<arguments\s*>/y, ["<arguments>"]), () => this.#arguments());
  }

  #arguments(): boolean {
    const name = this.#name;
    if (name === undefined) return this.#stop();
    this.names.push(name);
    return this.#content("arguments", argumentsShape(this.#tools.find((tool) => tool.name === name)?.parameters));
  }

  /** Reads the content of an element that may hold other elements. */
  #content(name: string, shape: Parent["shape"], hadComment = false): boolean {
    this.#text.skipSpace();
    const hasComment = hadComment || this.#text.startsWith("<!--");
    const first = this.#text.skipFiller() ? this.#text.ahead(section.length) : "";
    if (first !== section && section.startsWith(first)) {
      this.#step = () => this.#content(name, shape, hasComment);
      return false;
    }
    if (first === section || !first.startsWith("<")) return hasComment ? this.#stop() : this.#readLeaf(name);
    if (this.#parents.length >= maxDepth) return this.#stop();
    this.#emit(shape.kind === "array" ? "[" : "{");
    this.#parents.push({ name, shape, childNames: new Set() });
    return this.#continueWith(() => this.#fields());
  }

  #fields(): boolean {
    const parent = this.#parents.at(-1);
    if (parent === undefined) return this.#stop();
    if (!this.#text.skipFiller()) return false;
    const closer = this.#text.takeCloser(parent.name);
    if (closer === undefined) return false;
    if (closer !== null) {
      this.#parents.pop();
      this.#emit(parent.shape.kind === "array" ? "]" : "}");
      return this.#parents.length === 0 ? this.#continueWith(() => this.#tail()) : true;
    }
    const opener = this.#text.takeOpener();
    if (opener === undefined) return false;
    return opener === null ? this.#stop() : this.#field(parent, opener);
  }

  #field(
    { shape, childNames }: Parent,
    { name, isEmpty }: { readonly name: string; readonly isEmpty: boolean },
  ): boolean {
    const isFirst = childNames.size === 0;
    if (shape.kind === "array" ? !isFirst && !childNames.has(name) : childNames.has(name)) return this.#stop();
    childNames.add(name);
    const child = shape.kind === "array" ? shape.items() : shape.field(name);
    this.#emit(`${isFirst ? "" : ","}${shape.kind === "array" ? "" : `${JSON.stringify(name)}:`}`);
    if (isEmpty) {
      this.#emit(child.kind === "leaf" ? '""' : child.kind === "array" ? "[]" : "{}");
      return true;
    }
    return child.kind === "leaf" ? this.#readLeaf(name) : this.#continueWith(() => this.#content(name, child));
  }

  /** Begins a text. A text in place of all arguments is JSON already. */
  #readLeaf(name: string): boolean {
    const parent = this.#parents.at(-1);
    this.#leaf = new LeafStream(this.#text, name, parent);
    if (parent !== undefined) this.#emit('"');
    return this.#continueWith(() => this.#inLeaf());
  }

  #inLeaf(): boolean {
    const { words = "", state } = this.#leaf?.read() ?? { state: "broken" };
    const isJson = this.#parents.length === 0;
    this.#emit(isJson ? words : JSON.stringify(words).slice(1, -1));
    if (state === "open") return false;
    if (state === "broken") return this.#stop();
    if (isJson) return this.#continueWith(() => this.#tail());
    this.#emit('"');
    return this.#continueWith(() => this.#fields());
  }

  /** Reads on after the arguments. The closing tag of the call is optional, and the next call may follow. */
  #tail(): boolean {
    if (!this.#text.skipFiller()) return false;
    const closer = this.#text.takeCloser("tool");
    return closer === undefined ? false : this.#continueWith(() => this.#between());
  }

  #continueIf(taken: RegExpExecArray | null | undefined, next: () => boolean): boolean {
    if (taken === undefined) return false;
    return taken === null ? this.#stop() : this.#continueWith(next);
  }

  #continueWith(next: () => boolean): boolean {
    this.#step = next;
    return true;
  }

  #stop(): false {
    this.#hasStopped = true;
    return false;
  }

  #emit(text: string): void {
    const last = this.#deltas.at(-1);
    const index = this.names.length - 1;
    if (text === "") return;
    if (last?.index === index) this.#deltas[this.#deltas.length - 1] = { ...last, text: last.text + text };
    else this.#deltas.push({ type: "call-delta", index, name: this.names[index] ?? "", text });
  }
}
