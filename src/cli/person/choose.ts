// Choosing: an answer may be the number of a suggestion.

/** The suggestions of a question, whatever else it is. */
export function suggestionsOf(question: unknown): readonly string[] {
  const { suggestions } = (question ?? {}) as { readonly suggestions?: unknown };
  return Array.isArray(suggestions) ? suggestions.filter((one): one is string => typeof one === "string") : [];
}

/** The suggestion with this number, from 1, where the question has it; else the words as they are. */
export function choose<Answer extends string | undefined>(question: unknown, answer: Answer): Answer | string {
  return suggestionsOf(question)[Number(answer) - 1] ?? answer;
}
