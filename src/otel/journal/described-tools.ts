// The descriptions of an agent's tools, out of the definitions that a journal records.

import type { Definition } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** The tools of the last definition, with the texts of all definitions. */
export class DescribedTools {
  readonly #texts = new Map<string, string>();
  #digests: Definition["tools"] = {};

  /** Reads a definition. Nothing changes without one. */
  take(definition: Definition | undefined): void {
    if (definition === undefined) return;
    this.#digests = definition.tools;
    for (const [digest, text] of Object.entries(definition.texts ?? {})) this.#texts.set(digest, text);
  }

  /** The description of the tool; undefined if the journal does not have it. */
  descriptionOf(tool: string): string | undefined {
    const digest = Object.hasOwn(this.#digests, tool) ? this.#digests[tool] : undefined;
    const text = digest === undefined ? undefined : this.#texts.get(digest);
    if (text === undefined) return undefined;
    try {
      const described: unknown = JSON.parse(text);
      const description = isPlainObject(described) ? described["description"] : undefined;
      return typeof description === "string" ? description : undefined;
    } catch {
      // A redaction may have made the text no JSON.
      return undefined;
    }
  }
}
