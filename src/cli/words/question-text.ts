// The words of a question: those of its field `question` or `message`, or its JSON.

/** The question of a waiting call as a text. */
export function questionText(value: unknown): string {
  if (typeof value === "string") return value;
  const { question, message } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof question === "string") return question;
  return typeof message === "string" ? message : JSON.stringify(value);
}
