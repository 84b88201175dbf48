// Clients of OpenAI in a page want to hear that their key may be there.

/** The class, for tests in a page. */
export const inPage = (Base) =>
  class extends Base {
    constructor(options) {
      super({ ...options, dangerouslyAllowBrowser: true });
    }
  };
