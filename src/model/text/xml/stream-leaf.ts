// Streams a text in an XML call: returns the decoded part that certainly belongs to it.

import { decode } from "./leaf.js";
import { fillerEnd, maxLookahead, type GrowingText } from "./growing-text.js";
import { literally } from "../reading/literal-pattern.js";
import type { Shape } from "../reading/shape.js";

/** A piece of the text, and whether more may come. */
export interface LeafReading {
  readonly words: string;
  /** `broken` if the end of the text can't be determined. */
  readonly state: "open" | "closed" | "broken";
}

interface Parent {
  readonly name: string;
  readonly shape: Exclude<Shape, { readonly kind: "leaf" }>;
}

/** Reads one text, by the rules of `leafEnd` and `leafText`, which need the whole text. */
export class LeafStream {
  readonly #text: GrowingText;
  readonly #name: string;
  readonly #parent: Parent | undefined;
  readonly #tag: RegExp;
  readonly #parentEnd: RegExp;
  #words: string[] = [];
  /** A high surrogate whose low surrogate has not arrived yet. It is held back, so that a split does not change the output. */
  #highSurrogate = "";
  /** White space at the start of a part outside sections. It is layout if nothing else follows. */
  #blank: string[] = [];
  #isBlank = true;
  #inSection = false;
  #hasSection = false;
  /** The number of open tags of this name, including this tag. */
  #depth = 1;

  constructor(text: GrowingText, name: string, parent: Parent | undefined) {
    this.#text = text;
    this.#name = name;
    this.#parent = parent;
    this.#tag = new RegExp(String.raw`^<(\/?)${literally(name)}(?=[\s/>])[^<>]*>`);
    this.#parentEnd = new RegExp(String.raw`^<\/${literally(parent?.name ?? "")}\s*>`);
  }

  /** Reads on, as far as the text has arrived. */
  read(): LeafReading {
    this.#words = [this.#highSurrogate];
    let state: LeafReading["state"] | "on";
    do state = this.#inSection ? this.#section() : this.#outside();
    while (state === "on");
    const words = this.#words.join("");
    this.#highSurrogate = state === "open" ? (/[\ud800-\udbff]$/.exec(words)?.[0] ?? "") : "";
    return { words: words.slice(0, words.length - this.#highSurrogate.length), state };
  }

  #section(): "open" | "on" {
    // A possible beginning of the section's end is held back.
    const { words, isFound } = this.#text.readTo(/\]\]>|\]{1,2}$/g);
    this.#words.push(words);
    if (!isFound || !this.#text.startsWith("]]>")) return "open";
    this.#text.read(3);
    this.#inSection = false;
    return "on";
  }

  #outside(): LeafReading["state"] | "on" {
    const { words, isFound } = this.#text.readTo(/[<&]/g);
    this.#append(words);
    if (!isFound) return "open";
    return this.#text.startsWith("&") ? this.#reference() : this.#markup();
  }

  #reference(): "open" | "on" {
    const reference = this.#text.take(/&(?:#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-z]{2,4});/y, []);
    if (reference === null) {
      if (/^&(?:#(?:x[0-9a-fA-F]{0,6}|[0-9]{0,7})|[a-z]{0,4})$/.test(this.#text.ahead(12))) return "open";
      this.#append(this.#text.read(1));
    } else this.#append(decode(reference?.[0] ?? ""), false);
    return "on";
  }

  #markup(): LeafReading["state"] | "on" {
    const rest = this.#text.ahead(3 * maxLookahead);
    const wholes = ["<![CDATA[", `<${this.#name}>`, `</${this.#name}>`, "</arguments>"];
    if (wholes.some((whole) => rest.length < whole.length && whole.startsWith(rest))) return "open";
    if (rest.startsWith("<![CDATA[")) {
      this.#text.read(9);
      this.#blank = [];
      this.#isBlank = true;
      this.#inSection = true;
      this.#hasSection = true;
      return "on";
    }
    if (this.#name !== "arguments" && rest.startsWith("</arguments")) {
      // The call ends before this text was closed.
      if (/^<\/arguments\s*>\s*<\/tool\s*>/.test(rest)) return "broken";
      if (isBegun(rest, ["</arguments", ">", "</tool", ">"])) return this.#wait();
    }
    const tag = this.#tag.exec(rest);
    if (tag === null) {
      const isOpen =
        [`<${this.#name}`, `</${this.#name}`].some((begun) => rest.startsWith(begun)) && !/[<>]/.test(rest.slice(1));
      if (isOpen) return this.#wait();
      this.#append(this.#text.read(1));
      return "on";
    }
    return tag[1] === "" ? this.#openTag(tag[0]) : this.#closer(tag[0], rest);
  }

  #openTag(tag: string): "on" {
    if (!tag.endsWith("/>")) this.#depth += 1;
    this.#append(this.#text.read(tag.length));
    return "on";
  }

  /** Handles a closing tag. It ends the text only if a sibling or the parent's closing tag follows. */
  #closer(tag: string, rest: string): LeafReading["state"] | "on" {
    const follows = this.#follows(rest, tag.length);
    if (follows === "unknown") return "broken";
    if (follows === undefined) return this.#wait();
    this.#depth -= 1;
    if (!follows) {
      this.#append(this.#text.read(tag.length));
      return "on";
    }
    if (this.#depth > 0) return "broken";
    this.#text.read(tag.length);
    if (!this.#hasSection) this.#words.push(this.#blank.join(""));
    return "closed";
  }

  /** True if a sibling or the parent's closing tag follows; undefined if that text has not arrived yet. */
  #follows(rest: string, from: number): boolean | "unknown" | undefined {
    const at = fillerEnd(rest, from);
    if (at === undefined) return undefined;
    const next = rest.slice(at);
    if (this.#parent === undefined) return next.startsWith("<");
    const { name, shape } = this.#parent;
    if (this.#parentEnd.test(next)) return true;
    if (isBegun(next, [`</${name}`, ">"])) return undefined;
    const opener = /^<([^<>\s/!?][^<>]*)>/.exec(next)?.[1];
    if (opener === undefined) return next.startsWith("<") && !/[<>]/.test(next.slice(1)) ? undefined : false;
    const sibling = /^[^\s"'=]*/.exec(opener.replace(/\/$/, ""))?.[0] ?? "";
    if (shape.kind === "array") return sibling === this.#name;
    return shape.isOpen || shape.known.has(sibling) ? true : "unknown";
  }

  #wait(): "open" | "broken" {
    return this.#text.isStuck ? "broken" : "open";
  }

  #append(text: string, mayBeLayout = true): void {
    if (text === "") return;
    const isBlank = this.#isBlank && mayBeLayout && text.trim() === "";
    if (isBlank) {
      this.#blank.push(text);
      return;
    }
    if (this.#isBlank) this.#words.push(this.#blank.join(""));
    this.#blank = [];
    this.#isBlank = false;
    this.#words.push(text);
  }
}

/** True if the text may be the beginning of these parts with white space between them. */
function isBegun(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (index > 0) while (/\s/.test(text.charAt(at))) at += 1;
    const rest = text.slice(at);
    if (rest.length < part.length) return part.startsWith(rest);
    if (!rest.startsWith(part)) return false;
    at += part.length;
  }
  return false;
}
