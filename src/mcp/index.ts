// lastcall/mcp: the tools of MCP servers for agents.

export type { BreakerOptions } from "../breaker/index.js";
export type { McpTarget } from "./connect/target.js";
export type { McpTransport } from "./connect/package.js";
export type { Elicit, ElicitedQuestion, Elicitation, ElicitationAnswer } from "./tools/elicitation.js";
export type { ForeignName } from "./foreign/foreign-name.js";
export type { ForeignTool } from "./tools/foreign-tool.js";
export { mcpTools, type McpTools } from "./tools/mcp-tools.js";
export type { McpOptions } from "./tools/mcp-options.js";
export { fileVault, type FileVaultOptions } from "../vault/index.js";
export type { SignInContext, SignInQuestion } from "./sign-in/asker.js";
export type { SignInApi, SignInApiOptions } from "./sign-in/sign-in-api.js";
export { signIns, type SignedIn, type SignInOptions, type SignIns } from "./sign-in/sign-ins.js";
export { memoryVault, type Kept, type Vault } from "../vault/index.js";
export { mcpHandler, type McpHandlerOptions } from "./serve/mcp-handler.js";
export { mcpStdio, type McpStdioOptions, type StdioInput, type StdioOutput } from "./serve/mcp-stdio.js";
export type { ServedAgents } from "./serve/served-agents.js";
export type { ServableAgent, ServedAgent, ServedRun } from "./serve/serve-call.js";
