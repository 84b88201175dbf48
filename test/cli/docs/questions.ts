// Thirty questions as users of agent frameworks ask them, each with its thread, or its number in a list of wishes, and the pages that answer it. They stood here before there was a search.

/** A question, and the pages that answer it. */
interface Question {
  readonly asked: string;
  readonly thread?: string;
  readonly pages: readonly string[];
}

export const questions: readonly Question[] = [
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

/** Twenty more in the words of users. The ranking was chosen with them too; words were added to a page for one of them, on prompt injection. */
export const moreQuestions: typeof questions = [
  {
    asked: "agent hangs when the model provider returns 429 rate limit",
    pages: ["docs/guide/9-models.md", "docs/when-the-model-gets-it-wrong.md"],
  },
  { asked: "how do I use Claude / Anthropic models", pages: ["docs/guide/11-models-of-other-makers.md"] },
  {
    asked: "run the agent in a sandbox so it cannot delete my files",
    pages: ["docs/what-the-agent-may-do.md", "docs/guide/8-permissions.md"],
  },
  { asked: "send an image to the model", pages: ["docs/files-and-images.md"] },
  { asked: "context window overflow on long conversation", pages: ["docs/context.md", "docs/guide/7-context.md"] },
  { asked: "prompt injection from web pages", pages: ["docs/untrusted-content.md"] },
  { asked: "stream to React with useChat", pages: ["docs/guide/17-in-a-web-app.md"] },
  { asked: "deploy with docker behind nginx", pages: ["docs/deployment.md"] },
  { asked: "see the exact prompt that is sent", pages: ["docs/the-system-prompt.md", "docs/sessions.md"] },
  { asked: "handoff between agents", pages: ["docs/guide/14-more-than-one-agent.md", "docs/programs-of-others.md"] },
  { asked: "connect an MCP server", pages: ["docs/guide/12-tools-from-mcp-servers.md"] },
  {
    asked: "retry a malformed JSON tool call",
    pages: ["docs/when-the-model-gets-it-wrong.md", "docs/guide/4-mistakes.md"],
  },
  { asked: "long-term memory over conversations", pages: ["docs/a-memory-of-your-own.md"] },
  { asked: "background tasks get lost", pages: ["docs/guide/14-more-than-one-agent.md"] },
  {
    asked: "abort a run with AbortSignal",
    pages: ["docs/guide/3-endings.md", "docs/guide/2-tools.md", "docs/sessions.md"],
  },
  { asked: "two processes write the same session", pages: ["docs/sessions.md", "docs/guide/6-sessions.md"] },
  { asked: "Next.js route handler", pages: ["docs/guide/16-behind-http.md"] },
  { asked: "migrate from version to version, breaking changes", pages: ["docs/upgrading.md"] },
  { asked: "open telemetry exporter spans", pages: ["docs/guide/13-watching-it.md"] },
  { asked: "webhook or cron schedule for an agent", pages: ["docs/guide/20-many-machines.md"] },
];
