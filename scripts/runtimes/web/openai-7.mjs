// The package openai-7 for tests: in a page, its clients want to hear that their key may be there.

import Client, { AzureOpenAI as Azure } from "openai-7";

export * from "openai-7";

const inPage = (Base) =>
  class extends Base {
    constructor(options) {
      super({ ...options, dangerouslyAllowBrowser: true });
    }
  };

export const OpenAI = inPage(Client);
export const AzureOpenAI = inPage(Azure);
export default OpenAI;
