// A real MCP server over HTTP that wants a sign-in, an API beside it that wants the same, and their authorization server: discovery (RFC 8414, RFC 9728), registration, PKCE,
// resource indicators, `iss` (RFC 9207), short tokens, rotated refresh tokens, revocation, scopes.

import { createHash, randomBytes } from "node:crypto";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serve as listenOn } from "../../../src/server/index.js";

/** The behaviour of the pair. */
export interface Behaviour {
  /** Seconds that an access token lives, read as it is given. Default 3600. */
  readonly life?: number;
  /** True if the list of tools needs no sign-in. */
  readonly listsFreely?: boolean;
  /** Changes a part of the metadata, for servers that lie. */
  readonly issuerMetadata?: object;
  readonly resourceMetadata?: object;
  /** The issuer in the answer to a sign-in. Default: the right issuer. */
  readonly iss?: string;
  /** Milliseconds that a refresh takes. */
  readonly refreshTakes?: number;
  /** True if the authorization server names clients by their documents and registers none. */
  readonly takesDocuments?: boolean;
  /** The secret of the client, which has to be in the form of a request for tokens. Default: clients have none. */
  readonly secret?: string;
}

interface Token {
  readonly person: string;
  readonly scope: string;
  readonly resource: string;
  readonly until: number;
}

/** The pair, while it runs. */
export interface Guarded {
  readonly url: string;
  /** The address of the API. */
  readonly api: string;
  readonly issuer: string;
  /** The calls that the tools carried out: the tool, and the person whose token it was. */
  readonly calls: readonly string[];
  /** Every code, verifier, access token and refresh token that there was. */
  readonly secrets: ReadonlySet<string>;
  readonly counts: { refreshes: number; registrations: number; exchanges: number; requests: number };
  /** Signs a person in, as a browser would, and returns the address that it is sent back to. */
  open(
    address: string,
    person: string,
    terms?: { readonly scope?: string; readonly denies?: boolean },
  ): Promise<string>;
  /** Revokes all tokens. */
  revoke(): void;
  close(): Promise<void>;
}

/** Starts both on this machine. */
export async function guardedServer(behaviour: Behaviour = {}): Promise<Guarded> {
  const { listsFreely = false, refreshTakes = 0 } = behaviour;
  const calls: string[] = [];
  const secrets = new Set<string>();
  const counts = { refreshes: 0, registrations: 0, exchanges: 0, requests: 0 };
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Readonly<Record<string, string>>>();
  const [access, refresh] = [new Map<string, Token>(), new Map<string, Token>()];
  const secret = (name: string): string => {
    const made = `${name}-${randomBytes(18).toString("base64url")}`;
    secrets.add(made);
    return made;
  };
  const json = (status: number, value: object, headers: Record<string, string> = {}): Response =>
    new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json", ...headers } });
  const granted = (person: string, scope: string, resource: string): Response => {
    const { life = 3600 } = behaviour;
    const token: Token = { person, scope, resource, until: Date.now() + life * 1000 };
    const [one, other] = [secret("access"), secret("refresh")];
    access.set(one, token);
    refresh.set(other, { ...token, until: Infinity });
    return json(200, { access_token: one, token_type: "Bearer", expires_in: life, refresh_token: other, scope });
  };
  const serverFor = (token: Token | undefined, raw: string): McpServer => {
    const server = new McpServer({ name: "guarded", version: "1" });
    const input = fromJsonSchema<Record<string, unknown>>({ type: "object", properties: { text: { type: "string" } } });
    const answer = (text: string): { content: { type: "text"; text: string }[] } => ({
      content: [{ type: "text", text }],
    });
    server.registerTool("whoami", { description: "Says who calls.", inputSchema: input }, () => {
      calls.push(`whoami ${token?.person ?? "nobody"}`);
      return answer(`You are ${token?.person ?? "nobody"}.`);
    });
    server.registerTool("pay", { description: "Pays.", inputSchema: input }, () => {
      calls.push(`pay ${token?.person ?? "nobody"}`);
      return answer(`Paid by ${token?.person ?? "nobody"}.`);
    });
    server.registerTool("leak", { description: "Says the token.", inputSchema: input }, () => answer(`It is ${raw}!`));
    return server;
  };
  let origin = "";
  const metadata = (): object => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    ...(behaviour.takesDocuments === true
      ? { client_id_metadata_document_supported: true }
      : { registration_endpoint: `${origin}/register` }),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...behaviour.issuerMetadata,
  });
  const tokenEndpoint = async (form: URLSearchParams): Promise<Response> => {
    const given = Object.fromEntries(form);
    if (given["client_secret"] !== behaviour.secret) return json(401, { error: "invalid_client" });
    if (given["grant_type"] === "refresh_token") {
      counts.refreshes += 1;
      await new Promise((resolve) => setTimeout(resolve, refreshTakes));
      const token = refresh.get(given["refresh_token"] ?? "");
      refresh.delete(given["refresh_token"] ?? "");
      if (token?.resource !== (given["resource"] ?? ""))
        return json(400, {
          error: "invalid_grant",
          error_description: `no such token ${given["refresh_token"] ?? ""}`,
        });
      return granted(token.person, token.scope, token.resource);
    }
    counts.exchanges += 1;
    const asked = codes.get(given["code"] ?? "");
    codes.delete(given["code"] ?? "");
    secrets.add(given["code_verifier"] ?? "");
    const digest = createHash("sha256")
      .update(given["code_verifier"] ?? "")
      .digest("base64url");
    const fits =
      digest === asked?.["code_challenge"] &&
      (["redirect_uri", "client_id", "resource"] as const).every((name) => given[name] === asked[name]);
    return fits
      ? granted(asked["person"] ?? "", asked["scope"] ?? "", asked["resource"] ?? "")
      : json(400, { error: "invalid_grant" });
  };
  const mcp = async (request: Request): Promise<Response> => {
    counts.requests += 1;
    const raw = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const token = access.get(raw);
    const isValid = token !== undefined && token.until > Date.now() && token.resource === `${origin}/mcp`;
    const text = await request.text();
    const { method, params } = (text === "" ? {} : JSON.parse(text)) as { method?: string; params?: { name?: string } };
    const isCall = method === "tools/call";
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (!isValid && (isCall || !listsFreely))
      return json(401, {}, { "www-authenticate": `${challenge}, scope="read"` });
    if (isCall && params?.name === "pay" && !(token?.scope.split(" ").includes("pay") ?? false))
      return json(403, {}, { "www-authenticate": `${challenge}, error="insufficient_scope", scope="pay"` });
    const handler = createMcpHandler(() => serverFor(isValid ? token : undefined, raw));
    return handler.fetch(
      new Request(request.url, {
        method: request.method,
        headers: request.headers,
        ...(text !== "" && { body: text }),
      }),
    );
  };
  const api = (request: Request, tool: string): Response => {
    counts.requests += 1;
    const raw = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const token = access.get(raw);
    const isMeant = ["", `${origin}/api`].includes(token?.resource ?? "none");
    if (token === undefined || !isMeant || token.until <= Date.now())
      return json(401, {}, { "www-authenticate": 'Bearer error="invalid_token"' });
    if (tool === "leak") return new Response(`It is ${raw}!`);
    if (tool === "pay" && !token.scope.split(" ").includes("pay"))
      return json(403, {}, { "www-authenticate": 'Bearer error="insufficient_scope", scope="pay"' });
    calls.push(`${tool} ${token.person}`);
    return new Response(tool === "pay" ? `Paid by ${token.person}.` : `You are ${token.person}.`);
  };
  const listening = await listenOn(async (request) => {
    const url = new URL(request.url);
    switch (url.pathname) {
      case "/mcp":
        return mcp(request);
      case "/.well-known/oauth-protected-resource/mcp":
        return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin], ...behaviour.resourceMetadata });
      case "/api/whoami":
      case "/api/pay":
      case "/api/leak":
        return api(request, url.pathname.slice(5));
      case "/.well-known/oauth-protected-resource/api":
        return json(200, { resource: `${origin}/api`, authorization_servers: [origin], ...behaviour.resourceMetadata });
      case "/.well-known/oauth-authorization-server":
        return json(200, metadata());
      case "/register": {
        counts.registrations += 1;
        const { redirect_uris } = (await request.json()) as { redirect_uris: string[] };
        const id = `client-${String(counts.registrations)}`;
        clients.set(id, redirect_uris);
        return json(201, { client_id: id, redirect_uris });
      }
      case "/authorize": {
        const asked = Object.fromEntries(url.searchParams);
        const isKnown =
          behaviour.takesDocuments === true
            ? asked["client_id"]?.startsWith("https://") === true
            : (behaviour.secret !== undefined && asked["client_id"] === "given") ||
              clients.get(asked["client_id"] ?? "")?.includes(asked["redirect_uri"] ?? "") === true;
        if (!isKnown || asked["code_challenge_method"] !== "S256") return json(400, { error: "invalid_request" });
        const back = new URL(asked["redirect_uri"] ?? "");
        back.searchParams.set("state", asked["state"] ?? "");
        back.searchParams.set("iss", behaviour.iss ?? origin);
        if (asked["denies"] === "true") back.searchParams.set("error", "access_denied");
        else {
          const code = secret("code");
          codes.set(code, asked);
          back.searchParams.set("code", code);
        }
        return new Response(null, { status: 302, headers: { location: back.href } });
      }
      case "/token":
        return tokenEndpoint(new URLSearchParams(await request.text()));
      default:
        return json(404, {});
    }
  });
  origin = new URL(listening.url).origin;
  return {
    url: `${origin}/mcp`,
    api: `${origin}/api`,
    issuer: origin,
    calls,
    secrets,
    counts,
    async open(address, person, { scope, denies = false } = {}) {
      const url = new URL(address);
      url.searchParams.set("person", person);
      if (scope !== undefined) url.searchParams.set("scope", scope);
      url.searchParams.set("denies", String(denies));
      const answer = await fetch(url, { redirect: "manual" });
      return answer.headers.get("location") ?? `no redirect: ${String(answer.status)} ${await answer.text()}`;
    },
    revoke() {
      access.clear();
      refresh.clear();
    },
    close: () => listening.close(),
  };
}
