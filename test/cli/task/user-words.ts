// The words of the user in a request that a scripted provider got.

/** The content of the first message of the user; undefined if there is none. */
export function userWords(messages: readonly unknown[] = []): string | undefined {
  const found = (messages as readonly { readonly role: string; readonly content: string }[]).find(
    ({ role }) => role === "user",
  );
  return found?.content;
}
