// The default model and base URL.

/** The default model, unless `OPENAI_MODEL` names another. */
export const defaultModel = "gpt-5.4";

/** The model that `OPENAI_MODEL` names in this environment; undefined if it is not set or empty. */
export function modelFrom(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = env["OPENAI_MODEL"];
  return name === "" ? undefined : name;
}

/** The default base URL, unless `OPENAI_BASE_URL` names another. */
export const defaultBaseURL = "https://api.openai.com/v1";
