// The sections of a system prompt.

/** One paragraph of a system prompt. */
export interface Section {
  /** The heading above it, or its number. */
  readonly name: string;
  readonly text: string;
}

/** The first words of the rules that the loop adds. */
const rules = "You work in a loop. ";

/** The paragraphs of a system prompt, in their order. Joined by empty lines they are the prompt. */
export function sectionsOf(system: string): readonly Section[] {
  let heading: string | undefined;
  const paragraphs = system.split("\n\n");
  return paragraphs.map((text, index) => {
    const [, title] = /^#{1,6} +(.+)/m.exec(text) ?? [];
    heading = title ?? heading;
    const isRules = text.startsWith(rules) && index === paragraphs.length - 1;
    const number = `paragraph ${String(index + 1)}`;
    return {
      name: isRules ? "the rules of the loop" : heading === undefined ? number : `${number}, under "${heading}"`,
      text,
    };
  });
}
