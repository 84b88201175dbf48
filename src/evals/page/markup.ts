// Markup in which every text is escaped, unless it is markup itself.

/** A piece of a page. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Markup | readonly Markup[];

/** Makes markup of a template: its own text stays, its values are escaped. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const texts = parts.map((part, index) => {
    const value = values[index];
    return value === undefined ? part : part + textOf(value);
  });
  return new Markup(texts.join(""));
}

/** No markup at all. */
export const nothing: Markup = new Markup("");

function textOf(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escaped(String(value));
}

/** The text with the characters that HTML reads as its own, and without characters that it can't have. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\u007e\u00a0-\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** The end of a script. The build would rewrite a template that has it, with a package that users do not have. */
export const scriptEnd: Markup = new Markup("</script>");
