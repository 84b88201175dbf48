// Elements of the page, in one call each.

type Child = Node | string | undefined;

/** Makes an element with a class and its children. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Makes a button. */
export function button(className: string, text: string, onClick: () => void): HTMLButtonElement {
  const made = el("button", className, text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

/** A value as people write it in code: names of fields without quotes, on one line if it is short. */
export function written(value: unknown, width = 64): string {
  const line = onOneLine(value);
  if (line.length <= width || typeof value !== "object" || value === null) return line;
  const inner = Array.isArray(value)
    ? value.map((one) => written(one, width - 2))
    : Object.entries(value).map(([name, one]) => `${nameOf(name)}: ${written(one, width - 2)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open ?? ""}\n${inner.join(",\n").replace(/^/gm, "  ")}\n${close ?? ""}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return value === undefined ? "undefined" : JSON.stringify(value);
  const fields = Object.entries(value).map(([name, one]) => `${nameOf(name)}: ${onOneLine(one)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** "1 record", "2 records". */
export function count(number: number, word: string): string {
  return `${String(number)} ${word}${number === 1 ? "" : "s"}`;
}
