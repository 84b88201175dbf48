// The model: a real one if there is a key or an address, else a script that needs neither.

import { openai } from "lastcall/model";
import { call, scriptedModel } from "lastcall/testing";

const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
export const isReal = Boolean(OPENAI_API_KEY) || Boolean(OPENAI_BASE_URL);

export const model = isReal
  ? openai()
  : scriptedModel([[call("stock_of", { product: "coffee" })], [call("order", { product: "coffee", packs: 20 })]]);
