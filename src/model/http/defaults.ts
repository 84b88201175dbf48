// Which model, and where, when the caller does not say. The one place to change it.

/** The model asked for by default, unless `OPENAI_MODEL` names another. */
export const defaultModel = "gpt-5.4";

/** The model that `OPENAI_MODEL` names in this environment; undefined where it is not set, or empty. */
export function modelFrom(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = env["OPENAI_MODEL"];
  return name === "" ? undefined : name;
}

/** Where it is asked by default, unless `OPENAI_BASE_URL` says otherwise. */
export const defaultBaseURL = "https://api.openai.com/v1";
