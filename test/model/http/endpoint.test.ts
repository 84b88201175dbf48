import { afterEach, describe, expect, it, vi } from "vitest";
import { LastcallError } from "../../../src/core/index.js";
import { endpoint } from "../../../src/model/http/endpoint.js";
import { defaultModel, openai } from "../../../src/model/index.js";

const env = { OPENAI_API_KEY: "sk-env" };

function refusal(...given: Parameters<typeof endpoint>): LastcallError {
  try {
    endpoint(...given);
  } catch (thrown) {
    if (thrown instanceof LastcallError) return thrown;
    throw thrown;
  }
  throw new Error("it was not refused");
}

describe("the model", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ["the one given", "given", "from-env", "given"],
    ["OPENAI_MODEL's", undefined, "from-env", "from-env"],
    ["lastcall's own where that is empty", undefined, "", defaultModel],
  ])("is %s", (_what, given, fromEnv, name) => {
    vi.stubEnv("OPENAI_MODEL", fromEnv);
    expect(openai({ apiKey: "sk", model: given }).name).toBe(name);
  });
});

describe("the address", () => {
  it("is OpenAI's by default", () => {
    expect(endpoint({}, env)).toEqual({
      baseURL: "https://api.openai.com/v1",
      address: "https://api.openai.com/v1",
      apiKey: "sk-env",
    });
  });

  it("is shown without user, password and query", () => {
    const { baseURL, address } = endpoint({ baseURL: "https://me:secret@llm.test/v1/?k=1", apiKey: "sk" }, env);
    expect(baseURL).toContain("secret");
    expect(address).toBe("https://llm.test/v1");
  });

  it("is OPENAI_BASE_URL's where that is set, and OpenAI's where it is empty", () => {
    const fromEnv = { ...env, OPENAI_BASE_URL: "https://llm.corp.test/v1" };
    expect(endpoint({}, fromEnv).baseURL).toBe("https://llm.corp.test/v1");
    expect(endpoint({}, { ...env, OPENAI_BASE_URL: "" }).baseURL).toBe("https://api.openai.com/v1");
  });

  it("is the one given, whatever the environment says", () => {
    const fromEnv = { ...env, OPENAI_BASE_URL: "https://llm.corp.test/v1" };
    expect(endpoint({ baseURL: "http://localhost:11434/v1" }, fromEnv).baseURL).toBe("http://localhost:11434/v1");
  });

  it.each([
    "",
    "not a url",
    "localhost:11434/v1",
    "api.openai.com/v1",
    "ftp://api.openai.com/v1",
    "file:///etc/passwd",
  ])("is refused where it is %j, with an example of one that is right", (baseURL) => {
    const { code, message } = refusal({ baseURL, apiKey: "sk" }, env);
    expect(code).toBe("configuration");
    expect(message).toBe(
      `The base URL ${JSON.stringify(baseURL)} is no http or https address; give one like http://127.0.0.1:11434/v1.`,
    );
  });
});

describe("the key of the environment", () => {
  it.each([
    "https://api.openai.com/v1",
    "https://api.openai.com",
    "HTTPS://API.OPENAI.COM:443/v1/",
    "https://api.openai.com/v2",
  ])("goes to %s", (baseURL) => {
    expect(endpoint({ baseURL }, env).apiKey).toBe("sk-env");
  });

  it("goes to the host that OPENAI_BASE_URL names, also where the address is given", () => {
    const fromEnv = { ...env, OPENAI_BASE_URL: "https://llm.corp.test/v1" };
    expect(endpoint({}, fromEnv).apiKey).toBe("sk-env");
    expect(endpoint({ baseURL: "https://llm.corp.test/other" }, fromEnv).apiKey).toBe("sk-env");
  });

  it.each(["http://127.0.0.1:8080/v1", "http://localhost:11434/v1", "http://[::1]:1234/v1", "http://127.8.9.1/v1"])(
    "goes to this machine, %s",
    (baseURL) => {
      expect(endpoint({ baseURL }, env).apiKey).toBe("sk-env");
    },
  );

  it.each([
    "https://openrouter.ai/api/v1",
    "https://api.openai.com.evil.test/v1",
    "https://evil-api.openai.com/v1",
    "https://api-openai.com/v1",
    "https://openai.com/v1",
    "https://eu.api.openai.com/v1",
    "https://api.openai.com:8443/v1",
    "http://api.openai.com/v1",
    "https://api.openai.com@evil.test/v1",
    "https://api.openai.com:443@evil.test/v1",
    "https://user:api.openai.com@evil.test/v1",
    "https://evil.test/https://api.openai.com/v1",
    "https://evil.test/?host=api.openai.com",
    "https://evil.test/#@api.openai.com",
    "https://evil.test\\@api.openai.com/v1",
    "https://аpi.openai.com/v1",
    "https://localhost.evil.test/v1",
    "http://127.0.0.1.evil.test/v1",
    "http://127.0.0.1@evil.test/v1",
    "http://0.0.0.0:8080/v1",
    "http://192.168.1.5:11434/v1",
    "http://[::2]/v1",
  ])("never goes to %s", (baseURL) => {
    const fault = refusal({ baseURL }, env);
    expect(fault.code).toBe("authentication");
    expect(fault.message).not.toContain("sk-env");
    expect(fault.message).toMatch(
      /^There is no key for \S+: pass apiKey\. \(OPENAI_API_KEY is not sent to hosts other than/,
    );
  });

  it.each(["http://llm.corp.test/v1", "https://llm.corp.test:444/v1", "https://llm.corp.test.evil.test/v1"])(
    "never goes to %s on the strength of an OPENAI_BASE_URL that is like it",
    (baseURL) => {
      expect(refusal({ baseURL }, { ...env, OPENAI_BASE_URL: "https://llm.corp.test/v1" }).code).toBe("authentication");
    },
  );

  it("never goes anywhere on the strength of an OPENAI_BASE_URL that is no address", () => {
    const fromEnv = { ...env, OPENAI_BASE_URL: "llm.corp.test" };
    expect(refusal({ baseURL: "https://llm.corp.test/v1" }, fromEnv).code).toBe("authentication");
  });
});

describe("an explicit key", () => {
  it.each([
    "https://openrouter.ai/api/v1",
    "http://192.168.1.5/v1",
    "http://localhost/v1",
    "https://api.openai.com/v1",
  ])("goes to %s, instead of the environment's", (baseURL) => {
    expect(endpoint({ baseURL, apiKey: "sk-mine" }, env)).toEqual({ baseURL, address: baseURL, apiKey: "sk-mine" });
  });

  it("that is empty is none", () => {
    expect(endpoint({ apiKey: "" }, env).apiKey).toBe("sk-env");
    expect(refusal({ baseURL: "https://openrouter.ai/api/v1", apiKey: "" }, env).code).toBe("authentication");
  });
});

describe("without any key", () => {
  it.each(["http://127.0.0.1:8080/v1", "http://localhost:11434/v1", "http://[::1]:1234/v1"])(
    "%s can be used",
    (baseURL) => {
      const { apiKey } = endpoint({ baseURL }, {});
      expect(apiKey).not.toBe("");
      expect(apiKey).not.toContain("sk-");
    },
  );

  it("OpenAI can't, and it is said what to do", () => {
    for (const nothing of [{}, { OPENAI_API_KEY: "" }]) {
      const { code, message } = refusal({}, nothing);
      expect(code).toBe("authentication");
      expect(message).toBe(
        "There is no key for https://api.openai.com: set OPENAI_API_KEY or pass apiKey. For another server set OPENAI_BASE_URL or pass baseURL; one on this machine needs no key.",
      );
    }
  });

  it("another host can't, and it is said what to do", () => {
    expect(refusal({ baseURL: "https://openrouter.ai/api/v1" }, {}).message).toMatch(
      /^There is no key for https:\/\/openrouter\.ai: pass apiKey\./,
    );
  });
});
