// Choosing: a person may answer a question with the number of a suggestion.

/** The suggestions of a question; none if the value has none. */
export function suggestionsOf(question: unknown): readonly string[] {
  const { suggestions } = (question ?? {}) as { readonly suggestions?: unknown };
  return Array.isArray(suggestions) ? suggestions.filter((one): one is string => typeof one === "string") : [];
}

/** The suggestion with this number, counted from 1; the answer itself if there is no such suggestion. */
export function choose<Answer extends string | undefined>(question: unknown, answer: Answer): Answer | string {
  return suggestionsOf(question)[Number(answer) - 1] ?? answer;
}
