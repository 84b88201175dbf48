// Thirty questions as users of agent frameworks ask them, each with its thread, or its number in a list of wishes, and the pages that answer it. They stood here before there was a search.

export const questions: readonly { asked: string; thread: string; pages: readonly string[] }[] = [
  {
    asked: "agent reaches the step limit and throws instead of generating an output",
    thread: "vercel/ai#13075",
    pages: ["docs/limits.md", "docs/guide/4-mistakes.md"],
  },
  {
    asked: "agent stops even when the tool call fails Zod validation",
    thread: "get-convex/agent#172",
    pages: ["docs/guide/3-endings.md", "docs/guide/4-mistakes.md"],
  },
  {
    asked: "resume an approval after the server restarted",
    thread: "mastra-ai/mastra#19301",
    pages: ["docs/what-the-agent-may-do.md"],
  },
  {
    asked: "Thinking may not be enabled when tool_choice forces tool use",
    thread: "mastra-ai/mastra#7507",
    pages: ["docs/when-the-model-gets-it-wrong.md"],
  },
  {
    asked: "How to persist state during agent run, so we can do continuation if it is interrupted",
    thread: "openai/openai-agents-js#441",
    pages: ["docs/sessions.md", "docs/guide/6-sessions.md"],
  },
  {
    asked: "generateObject together with tools: structured output and tool calling at the same time",
    thread: "vercel/ai#1803",
    pages: ["README.md", "docs/guide/1-first-agent.md", "docs/guide/3-endings.md"],
  },
  {
    asked: "a tool that asks the user, ends the run and restarts at the right spot",
    thread: "openai/openai-agents-python#1186",
    pages: ["docs/guide/2-tools.md", "docs/guide/6-sessions.md"],
  },
  {
    asked: "page refresh during a streaming reply loses the answer",
    thread: "bayesimpact/bayes-platform#673",
    pages: ["docs/guide/16-behind-http.md", "docs/guide/17-in-a-web-app.md"],
  },
  {
    asked: "deterministic tests with a mock model and no API key",
    thread: "mastra-ai/mastra#17466",
    pages: ["docs/guide/10-testing-your-agent.md", "docs/recording-a-run.md"],
  },
  {
    asked: "cap what an agent or a user may spend in dollars per day",
    thread: "dam-agents/dam#3428",
    pages: ["docs/limits.md"],
  },
  {
    asked: "agent reports partial work as complete",
    thread: "anthropics/claude-code#34675",
    pages: ["docs/done-is-a-check.md", "docs/guide/5-checks.md"],
  },
  {
    asked: "small models answer in text, sometimes with the tool call inside the text",
    thread: "vercel/ai#8992",
    pages: ["docs/when-the-model-gets-it-wrong.md", "docs/guide/9-models.md"],
  },
  {
    asked: "it runs the same grep over and over again in an infinite loop",
    thread: "anomalyco/opencode#45442",
    pages: ["docs/when-the-model-gets-it-wrong.md", "docs/guide/4-mistakes.md"],
  },
  {
    asked: "sub-agents ignore the limit of the parent",
    thread: "mastra-ai/mastra#10866",
    pages: ["docs/guide/14-more-than-one-agent.md", "docs/limits.md"],
  },
  {
    asked: "permission prompts of subagents do not reach me",
    thread: "anomalyco/opencode#2242",
    pages: ["docs/guide/14-more-than-one-agent.md"],
  },
  {
    asked: "orphan tool_use without tool_result after a crash, session permanently broken",
    thread: "earendil-works/pi#4189",
    pages: ["docs/sessions.md"],
  },
  {
    asked: "side effects run twice on resume",
    thread: "langchain-ai/langgraph#6208",
    pages: ["docs/sessions.md", "docs/guide/6-sessions.md"],
  },
  {
    asked: "rules and goal forgotten after compaction",
    thread: "openai/codex#25792",
    pages: ["docs/context.md", "docs/guide/7-context.md"],
  },
  {
    asked: "set cache_control on messages for Anthropic prompt caching",
    thread: "mastra-ai/mastra#15474",
    pages: ["docs/guide/11-models-of-other-makers.md"],
  },
  {
    asked: "stream the answer that is inside the tool call arguments",
    thread: "ollama/ollama#13581",
    pages: ["docs/guide/3-endings.md"],
  },
  {
    asked: "approval policy per tool, not only a global one",
    thread: "danny-avila/LibreChat#14193",
    pages: ["docs/guide/8-permissions.md", "docs/what-the-agent-may-do.md"],
  },
  {
    asked: "another worker finishes the run when its server died",
    thread: "mastra-ai/mastra#18031",
    pages: ["docs/guide/20-many-machines.md"],
  },
  {
    asked: "tsc runs out of memory, type instantiation is excessively deep with zod tools",
    thread: "langchain-ai/langgraphjs#1453",
    pages: ["docs/performance.md"],
  },
  {
    asked: "switch to another provider when one is down",
    thread: "wish 36",
    pages: ["docs/guide/9-models.md"],
  },
  {
    asked: "stop reports success while the agent keeps running",
    thread: "different-ai/openwork#2014",
    pages: ["docs/guide/3-endings.md", "docs/guide/17-in-a-web-app.md"],
  },
  {
    asked: "traces and telemetry without prompts or keys leaking",
    thread: "wish 32",
    pages: ["docs/guide/13-watching-it.md", "docs/secrets.md"],
  },
  {
    asked: "user types a message instead of approving: No tool output found for function call",
    thread: "vercel/ai#12709",
    pages: ["docs/what-the-agent-may-do.md", "docs/guide/17-in-a-web-app.md"],
  },
  {
    asked: "You did not use a tool! simple questions like 2+4 become impossible",
    thread: "cline/cline#735",
    pages: ["docs/when-the-model-gets-it-wrong.md"],
  },
  {
    asked: "fail CI on a regression of the agent, with confidence intervals",
    thread: "UKGovernmentBEIS/inspect_ai#2176",
    pages: ["docs/is-it-any-good.md", "docs/reading-the-report.md"],
  },
  {
    asked: "headless run exits with code 0 although it failed",
    thread: "anthropics/claude-code#76867",
    pages: ["README.md", "docs/done-is-a-check.md"],
  },
];
