// The package openai for tests in a page.

import Client, { AzureOpenAI as Azure } from "openai";
import { inPage } from "./in-page.mjs";

export * from "openai";
export const OpenAI = inPage(Client);
export const AzureOpenAI = inPage(Azure);
export default OpenAI;
