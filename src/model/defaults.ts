// Which model, and where, when the caller does not say. The one place to change it.

/** The model asked for by default. */
export const defaultModel = "gpt-5.4";

/** Where it is asked by default, unless `OPENAI_BASE_URL` says otherwise. */
export const defaultBaseURL = "https://api.openai.com/v1";
