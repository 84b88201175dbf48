import type { AnyTool, tool } from "../../../src/index.js";
import type { SignInApi } from "../../../src/mcp/index.js";

export function apiTools(make: typeof tool, api: SignInApi, url: string): AnyTool[];
