// The fields of an XML call: walks them by the tool's schema and takes every text as it stands.

import { leafEnd, leafText, skipFiller, type NoEnd } from "./leaf.js";
import { cut, malformed, type XmlCall } from "../reading/reading.js";
import type { Shape } from "../reading/shape.js";
import { noDoctype } from "../reading/complaints.js";

const deepest = 100;
/** How far behind a closing tag the end of an unknown field is looked for. */
const nearby = 10_000;

/** An element that is walked. */
interface Parent {
  readonly name: string;
  readonly shape: Exclude<Shape, { readonly kind: "leaf" }>;
  readonly depth: number;
  /** The names of its children so far. */
  readonly seen: Set<string>;
}

interface OpeningTag {
  readonly name: string;
  /** Where it ends. */
  readonly end: number;
  readonly isEmpty: boolean;
  readonly hasMore: boolean;
}

/** The fields of one call. */
export class XmlFields {
  /** What is wrong where the fields can be told apart all the same. */
  problem: string | undefined;
  readonly #text: string;
  readonly #tool: string;
  readonly #call: number;
  readonly #skeleton: string[] = [];
  readonly #names: string[] = [];
  readonly #bodies: string[] = [];

  constructor(text: string, { tool, call }: { readonly tool: string; readonly call: number }) {
    this.#text = text;
    this.#tool = tool;
    this.#call = call;
  }

  /** Reads from behind `<arguments>` to behind its closing tag. */
  read(from: number, shape: Parent["shape"]): number | NoEnd {
    return this.#walk(from, { name: "arguments", shape, depth: 1, seen: new Set() });
  }

  /** What was read. */
  call(name: string): XmlCall {
    return { name, skeleton: this.#skeleton.join(""), names: this.#names, bodies: this.#bodies };
  }

  #walk(from: number, parent: Parent): number | NoEnd {
    if (parent.depth > deepest)
      return this.#broken(`The arguments are nested too deep: over ${String(deepest)} levels.`);
    for (let at = from; ;) {
      const next = skipFiller(this.#text, at);
      const closer = this.#closerAt(next, parent.name);
      if (closer !== undefined) return closer;
      const tag = this.#openerAt(next);
      if (tag === undefined) return this.#unexpected(next, parent);
      const end = this.#field(tag, parent);
      if (typeof end !== "number") return end;
      at = end;
    }
  }

  #field(tag: OpeningTag, parent: Parent): number | NoEnd {
    const { name, end } = tag;
    if (tag.hasMore)
      this.problem ??= `The tag of the element ${name} holds more than its name; attributes are not read.`;
    const shape = parent.shape.kind === "array" ? parent.shape.items() : parent.shape.field(name);
    const first = skipFiller(this.#text, end);
    const isNothing = tag.isEmpty || this.#closerAt(first, name) !== undefined;
    const isText = !this.#text.startsWith("<", first) || this.#text.startsWith("<![CDATA[", first);
    const isLeaf = shape.kind === "leaf" || (isText && !isNothing);
    this.#count(name, parent, isLeaf && shape.kind === "array");
    const element = `${isLeaf ? "leaf" : shape.kind}-${String(this.#names.push(name) - 1)}`;
    this.#skeleton.push(`<${element}>`);
    const behind = isLeaf
      ? this.#leaf(tag, parent)
      : tag.isEmpty
        ? end
        : this.#walk(end, { name, shape, depth: parent.depth + 1, seen: new Set() });
    this.#skeleton.push(`</${element}>`);
    return behind;
  }

  /** A list may be given as one element for each of its texts; anything else once. */
  #count(name: string, { name: parent, shape, seen }: Parent, isListed: boolean): void {
    if (shape.kind === "array") {
      if (seen.size > 0 && !seen.has(name))
        this.problem ??= `The elements of the list ${parent} have different names; give all of them one name.`;
    } else if (seen.has(name) && !isListed) this.problem ??= `The element ${name} is given twice.`;
    seen.add(name);
  }

  #leaf({ name, end, isEmpty }: OpeningTag, parent: Parent): number | NoEnd {
    const follows = (at: number): boolean => this.#follows(at, name, parent);
    const found = isEmpty
      ? { body: end, end }
      : leafEnd(this.#text, end, { tool: this.#tool, name, call: this.#call, follows });
    if ("problem" in found) return found;
    const body = leafText(this.#text.slice(end, found.body));
    if (body === undefined)
      this.problem ??= `A CDATA section in ${name} ends before its text does: write ]]> within it as ]]]]><![CDATA[>.`;
    this.#skeleton.push(String(this.#bodies.push(body ?? "") - 1));
    return found.end;
  }

  #follows(at: number, name: string, parent: Parent): boolean {
    if (this.#closerAt(at, parent.name) !== undefined) return true;
    const next = this.#openerAt(at);
    if (next === undefined) return false;
    if (this.#isSibling(next.name, name, parent)) return true;
    // A field that the schema doesn't know is one if it is closed and something known comes after it.
    if (parent.shape.kind === "array") return false;
    const own = this.#text.slice(next.end, next.end + nearby).indexOf(`</${next.name}>`);
    if (own === -1) return false;
    const behind = skipFiller(this.#text, next.end + own + next.name.length + 3);
    const after = this.#openerAt(behind)?.name;
    return (
      this.#closerAt(behind, parent.name) !== undefined || (after !== undefined && this.#isSibling(after, name, parent))
    );
  }

  #isSibling(name: string, of: string, { shape }: Parent): boolean {
    return shape.kind === "array" ? name === of : shape.isOpen || shape.known.has(name);
  }

  /** Where the closing tag of this name that stands at a place ends. */
  #closerAt(at: number, name: string): number | undefined {
    if (!this.#text.startsWith(`</${name}`, at)) return undefined;
    const end = skipFiller(this.#text, at + 2 + name.length);
    return this.#text[end] === ">" ? end + 1 : undefined;
  }

  #openerAt(at: number): OpeningTag | undefined {
    if (this.#text[at] !== "<") return undefined;
    const inside = /^[^<>]+(?=>)/.exec(this.#text.slice(at + 1, at + 400))?.[0];
    if (inside === undefined || /^[\s/!?]/.test(inside)) return undefined;
    const isEmpty = inside.endsWith("/");
    const written = (isEmpty ? inside.slice(0, -1) : inside).trim();
    const hasMore = /["'=]/.test(written);
    const name = hasMore ? (/^\S+/.exec(written)?.[0] ?? "") : written;
    return { name, end: at + inside.length + 2, isEmpty, hasMore };
  }

  #unexpected(at: number, { name }: Parent): NoEnd {
    const rest = this.#text.slice(at, at + 40);
    if (rest.startsWith("<!DOCTYPE") || rest.startsWith("<!ENTITY")) return this.#broken(noDoctype);
    if (rest === "" || (rest.startsWith("<") && !this.#text.includes(">", at))) {
      const problem = cut(this.#tool, this.#text.slice(this.#call), `inside <${name}>, before </${name}>`);
      return { problem, resume: undefined };
    }
    return this.#broken(`In <${name}>, an element or </${name}> must come where ${JSON.stringify(rest)} stands.`);
  }

  #broken(problem: string): NoEnd {
    return { problem: malformed(this.#tool, this.#text.slice(this.#call), problem), resume: undefined };
  }
}
