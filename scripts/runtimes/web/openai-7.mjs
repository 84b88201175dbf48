// The package openai-7 for tests in a page.

import Client, { AzureOpenAI as Azure } from "openai-7";
import { inPage } from "./in-page.mjs";

export * from "openai-7";
export const OpenAI = inPage(Client);
export const AzureOpenAI = inPage(Azure);
export default OpenAI;
