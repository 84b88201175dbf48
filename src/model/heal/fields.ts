// Checks arguments that came as fields with text values, by the rules that the JSON reader applies to JSON text.

import type { Json, JsonObject } from "../../core/index.js";
import { maxDepth, forbiddenKeys } from "./lenient-json.js";
import { briefPath, forbiddenKey, malformed, nulCharacter, repeatedKey, tooDeep, type Defect } from "./explain.js";

/** The checked fields, or the defect that was found. */
export type FieldsReading =
  | { readonly ok: true; readonly input: JsonObject; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly defect: Defect };

/** Checks fields: no NUL, no forbidden or repeated key, not nested too deep. Lone surrogates are replaced. */
export function readFields(fields: JsonObject): FieldsReading {
  const check = new FieldCheck();
  const input = check.object(fields, "", 1);
  if (check.defect !== undefined) return { ok: false, defect: check.defect };
  return { ok: true, input, repairs: check.isMended ? ["half a surrogate pair replaced by U+FFFD"] : [] };
}

class FieldCheck {
  defect: Defect | undefined;
  isMended = false;

  object(object: JsonObject, field: string, depth: number): JsonObject {
    const checked: Record<string, Json> = {};
    for (const [name, item] of Object.entries(object)) {
      if (this.defect !== undefined) break;
      const key = this.#text(name, field);
      if (forbiddenKeys.has(key)) this.defect = forbiddenKey(key);
      else if (Object.hasOwn(checked, key)) this.defect = repeatedKey(key, "once its surrogates are mended");
      else checked[key] = this.#value(item, name, depth);
    }
    return checked;
  }

  #value(value: Json, field: string, depth: number): Json {
    if (typeof value === "string") return this.#text(value, field);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= maxDepth) {
      this.defect = tooDeep(maxDepth);
      return null;
    }
    if (!Array.isArray(value)) return this.object(value as JsonObject, field, depth + 1);
    return (value as readonly Json[]).map((item) => this.#value(item, field, depth + 1));
  }

  #text(text: string, field: string): string {
    if (text.includes("\0")) {
      const where = field === "" ? "the arguments" : `the field ${briefPath(field)}`;
      this.defect = malformed(`In ${where}: ${nulCharacter}`);
    }
    const mended = text.toWellFormed();
    if (mended !== text) this.isMended = true;
    return mended;
  }
}
