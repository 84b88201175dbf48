// The arguments of XML calls while they are still being written: their text in, JSON out, in linear time.

import type { ToolDescription } from "../../../core/index.js";
import type { CallDelta } from "../../../core/internal.js";
import { LiveLeaf } from "./stream-leaf.js";
import { LiveText } from "./growing-text.js";
import { decode } from "./leaf.js";
import { argumentsShape, type Shape } from "../reading/shape.js";
import { xmlOpener } from "./read-xml.js";

/** Reads calls as they come. */
export interface LiveCalls {
  /** Takes the next piece of the text; returns what can be told of the arguments by now. */
  write(piece: string): readonly CallDelta[];
  /** The names of the tools of which something was told, in the order of their calls. */
  readonly names: readonly string[];
}

/** An element that holds others. */
interface Parent {
  readonly name: string;
  readonly shape: Exclude<Shape, { readonly kind: "leaf" }>;
  readonly seen: Set<string>;
}

const deepest = 100;
const section = "<![CDATA[";

/**
 * True where a call that begins behind this text is certain to be one: nothing stands before it on its line, and no thinking, code
 * or result is open.
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
 * Reads the calls that stand one after the other at the beginning of a text, as `findCalls` would, and writes their arguments as JSON,
 * every value that is no list and no object a text. Where it takes more than is there to know how a call goes on, nothing more is
 * told: the whole reply has it.
 */
export function liveCalls(tools: readonly ToolDescription[]): LiveCalls {
  return new Calls(tools);
}

class Calls implements LiveCalls {
  readonly names: string[] = [];
  readonly #tools: readonly ToolDescription[];
  readonly #text = new LiveText();
  #name: string | undefined;
  #parents: Parent[] = [];
  #leaf: LiveLeaf | undefined;
  #told: CallDelta[] = [];
  /** Reads on from where the text stands. False where it has to wait for more. */
  #step: () => boolean = () => this.#between();
  #isOver = false;

  constructor(tools: readonly ToolDescription[]) {
    this.#tools = tools;
  }

  write(piece: string): readonly CallDelta[] {
    if (this.#isOver) return [];
    this.#told = [];
    this.#text.add(piece);
    while (this.#step());
    this.#isOver ||= this.#text.isStuck;
    return this.#told;
  }

  #between(): boolean {
    this.#text.skipSpace();
    const opener = this.#text.take(/<tool>/y, [xmlOpener]);
    if (opener !== null) this.#name = undefined;
    return this.#go(opener, () => this.#head());
  }

  /** The children of `<tool>` up to its arguments. */
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
    return this.#go(this.#text.take(/<arguments\s*>/y, ["<arguments>"]), () => this.#arguments());
  }

  #arguments(): boolean {
    const name = this.#name;
    if (name === undefined) return this.#stop();
    this.names.push(name);
    return this.#content("arguments", argumentsShape(this.#tools.find((tool) => tool.name === name)?.parameters));
  }

  /** What stands in an element that may hold others. */
  #content(name: string, shape: Parent["shape"], hadComment = false): boolean {
    this.#text.skipSpace();
    const hasComment = hadComment || this.#text.startsWith("<!--");
    const first = this.#text.skipFiller() ? this.#text.ahead(section.length) : "";
    if (first !== section && section.startsWith(first)) {
      this.#step = () => this.#content(name, shape, hasComment);
      return false;
    }
    if (first === section || !first.startsWith("<")) return hasComment ? this.#stop() : this.#readLeaf(name);
    if (this.#parents.length >= deepest) return this.#stop();
    this.#tell(shape.kind === "array" ? "[" : "{");
    this.#parents.push({ name, shape, seen: new Set() });
    return this.#on(() => this.#fields());
  }

  #fields(): boolean {
    const parent = this.#parents.at(-1);
    if (parent === undefined) return this.#stop();
    if (!this.#text.skipFiller()) return false;
    const closer = this.#text.takeCloser(parent.name);
    if (closer === undefined) return false;
    if (closer !== null) {
      this.#parents.pop();
      this.#tell(parent.shape.kind === "array" ? "]" : "}");
      return this.#parents.length === 0 ? this.#on(() => this.#tail()) : true;
    }
    const opener = this.#text.takeOpener();
    if (opener === undefined) return false;
    return opener === null ? this.#stop() : this.#field(parent, opener);
  }

  #field({ shape, seen }: Parent, { name, isEmpty }: { readonly name: string; readonly isEmpty: boolean }): boolean {
    const isFirst = seen.size === 0;
    if (shape.kind === "array" ? !isFirst && !seen.has(name) : seen.has(name)) return this.#stop();
    seen.add(name);
    const child = shape.kind === "array" ? shape.items() : shape.field(name);
    this.#tell(`${isFirst ? "" : ","}${shape.kind === "array" ? "" : `${JSON.stringify(name)}:`}`);
    if (isEmpty) {
      this.#tell(child.kind === "leaf" ? '""' : child.kind === "array" ? "[]" : "{}");
      return true;
    }
    return child.kind === "leaf" ? this.#readLeaf(name) : this.#on(() => this.#content(name, child));
  }

  /** A text. That of all the arguments is JSON as it stands. */
  #readLeaf(name: string): boolean {
    const parent = this.#parents.at(-1);
    this.#leaf = new LiveLeaf(this.#text, name, parent);
    if (parent !== undefined) this.#tell('"');
    return this.#on(() => this.#inLeaf());
  }

  #inLeaf(): boolean {
    const { words = "", is } = this.#leaf?.read() ?? { is: "broken" };
    const isJson = this.#parents.length === 0;
    this.#tell(isJson ? words : JSON.stringify(words).slice(1, -1));
    if (is === "open") return false;
    if (is === "broken") return this.#stop();
    if (isJson) return this.#on(() => this.#tail());
    this.#tell('"');
    return this.#on(() => this.#fields());
  }

  /** Behind the arguments. Their closing tag is enough: the next call may follow. */
  #tail(): boolean {
    if (!this.#text.skipFiller()) return false;
    const closer = this.#text.takeCloser("tool");
    return closer === undefined ? false : this.#on(() => this.#between());
  }

  #go(taken: RegExpExecArray | null | undefined, next: () => boolean): boolean {
    if (taken === undefined) return false;
    return taken === null ? this.#stop() : this.#on(next);
  }

  #on(next: () => boolean): boolean {
    this.#step = next;
    return true;
  }

  #stop(): false {
    this.#isOver = true;
    return false;
  }

  #tell(text: string): void {
    const last = this.#told.at(-1);
    const index = this.names.length - 1;
    if (text === "") return;
    if (last?.index === index) this.#told[this.#told.length - 1] = { ...last, text: last.text + text };
    else this.#told.push({ type: "call-delta", index, name: this.names[index] ?? "", text });
  }
}
