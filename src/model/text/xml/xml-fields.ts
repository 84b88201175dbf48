// Reads the fields of an XML call, guided by the tool's schema.

import { leafEnd, leafText, skipFiller, type NoEnd } from "./leaf.js";
import { cut, malformed, type XmlCall } from "../reading/reading.js";
import type { Shape } from "../reading/shape.js";
import { noDoctype } from "../reading/complaints.js";

const maxDepth = 100;
/** The number of characters in which the end of an unknown field is searched. */
const maxLookahead = 10_000;

/** An element whose children are being read. */
interface Parent {
  readonly name: string;
  readonly shape: Exclude<Shape, { readonly kind: "leaf" }>;
  readonly depth: number;
  /** The names of the children read so far. */
  readonly childNames: Set<string>;
}

interface OpeningTag {
  readonly name: string;
  /** The index after the tag. */
  readonly end: number;
  readonly isEmpty: boolean;
  /** True if the tag holds more than a name. */
  readonly hasMore: boolean;
}

/** The fields of one call. */
export class XmlFields {
  /** The first problem that did not prevent telling the fields apart. */
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

  /** Reads the fields. `from` is the index after `<arguments>`; returns the index after its closing tag. */
  read(from: number, shape: Parent["shape"]): number | NoEnd {
    return this.#walk(from, { name: "arguments", shape, depth: 1, childNames: new Set() });
  }

  /** The call with the fields that were read. */
  call(name: string): XmlCall {
    return { name, skeleton: this.#skeleton.join(""), names: this.#names, bodies: this.#bodies };
  }

  #walk(from: number, parent: Parent): number | NoEnd {
    if (parent.depth > maxDepth)
      return this.#broken(`The arguments are nested too deep: over ${String(maxDepth)} levels.`);
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
    this.#checkName(name, parent, isLeaf && shape.kind === "array");
    const element = `${isLeaf ? "leaf" : shape.kind}-${String(this.#names.push(name) - 1)}`;
    this.#skeleton.push(`<${element}>`);
    const fieldEnd = isLeaf
      ? this.#leaf(tag, parent)
      : tag.isEmpty
        ? end
        : this.#walk(end, { name, shape, depth: parent.depth + 1, childNames: new Set() });
    this.#skeleton.push(`</${element}>`);
    return fieldEnd;
  }

  /** Checks names: a list of texts may be written as repeated elements; any other field is given once. */
  #checkName(name: string, { name: parent, shape, childNames }: Parent, isListed: boolean): void {
    if (shape.kind === "array") {
      if (childNames.size > 0 && !childNames.has(name))
        this.problem ??= `The elements of the list ${parent} have different names; give all of them one name.`;
    } else if (childNames.has(name) && !isListed) this.problem ??= `The element ${name} is given twice.`;
    childNames.add(name);
  }

  #leaf({ name, end, isEmpty }: OpeningTag, parent: Parent): number | NoEnd {
    const follows = (at: number): boolean => this.#follows(at, name, parent);
    const bodyEnd = isEmpty
      ? { body: end, end }
      : leafEnd(this.#text, end, { tool: this.#tool, name, call: this.#call, follows });
    if ("problem" in bodyEnd) return bodyEnd;
    const body = leafText(this.#text.slice(end, bodyEnd.body));
    if (body === undefined)
      this.problem ??= `A CDATA section in ${name} ends before its text does: write ]]> within it as ]]]]><![CDATA[>.`;
    this.#skeleton.push(String(this.#bodies.push(body ?? "") - 1));
    return bodyEnd.end;
  }

  #follows(at: number, name: string, parent: Parent): boolean {
    if (this.#closerAt(at, parent.name) !== undefined) return true;
    const next = this.#openerAt(at);
    if (next === undefined) return false;
    if (this.#isSibling(next.name, name, parent)) return true;
    // An element unknown to the schema counts as a field if it is closed and a known element or the parent's end follows.
    if (parent.shape.kind === "array") return false;
    const own = this.#text.slice(next.end, next.end + maxLookahead).indexOf(`</${next.name}>`);
    if (own === -1) return false;
    const ownEnd = skipFiller(this.#text, next.end + own + next.name.length + 3);
    const following = this.#openerAt(ownEnd)?.name;
    return (
      this.#closerAt(ownEnd, parent.name) !== undefined ||
      (following !== undefined && this.#isSibling(following, name, parent))
    );
  }

  #isSibling(name: string, of: string, { shape }: Parent): boolean {
    return shape.kind === "array" ? name === of : shape.isOpen || shape.known.has(name);
  }

  /** The index after the closing tag of this name at `at`; undefined if there is none. */
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
