// The definition of an agent as it is recorded: with the texts that the journal does not have yet.

import type { Definition } from "../data/definition.js";
import { canonical } from "../data/json.js";
import type { State } from "../journal/state.js";

/** The most characters of texts that one record keeps. An agent with thousands of tools would make each journal too large. */
const mostCharacters = 1024 * 1024;

/** The definition to record; empty if the session has the same definition already. */
export function definitionToRecord(state: State, definition: Definition): { readonly definition?: Definition } {
  const { texts: _texts, ...digests } = definition;
  const isKnown = state.definition !== undefined && canonical(state.definition) === canonical(digests);
  return isKnown ? {} : { definition: withNewTexts(state, definition) };
}

/** The definition with the texts that the journal does not have yet, as far as there is room for them. */
export function withNewTexts(state: State, { texts = {}, ...definition }: Definition): Definition {
  let room = mostCharacters;
  const fresh = Object.entries(texts).filter(([digest, text]) => {
    if (state.texts[digest] === true || text.length > room) return false;
    room -= text.length;
    return true;
  });
  return fresh.length === 0 ? definition : { ...definition, texts: Object.fromEntries(fresh) };
}
