// The part of the client package that signs people in: discovery, registration, codes and tokens, as our own types.

/** The metadata of an authorization server (RFC 8414), as far as it is used. */
export interface IssuerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint?: string | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
  readonly code_challenge_methods_supported?: readonly string[] | undefined;
  readonly client_id_metadata_document_supported?: boolean | undefined;
  readonly authorization_response_iss_parameter_supported?: boolean | undefined;
  readonly token_endpoint_auth_methods_supported?: readonly string[] | undefined;
}

/** The metadata of a server whose tools need a sign-in (RFC 9728), as far as it is used. */
export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers?: readonly string[] | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
}

/** The client as its authorization server knows it. */
export interface KnownClient {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
}

/** The answer of a token endpoint. */
export interface SentTokens {
  readonly access_token: string;
  readonly token_type: string;
  /** Seconds. */
  readonly expires_in?: number | undefined;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

/** The terms of a request for tokens. */
interface TokenTerms {
  readonly metadata: IssuerMetadata;
  readonly clientInformation: KnownClient;
  readonly resource?: string;
  readonly fetchFn: typeof fetch;
}

/** The functions of the package about sign-ins. */
export interface AuthPackage {
  discoverOAuthServerInfo(
    server: string,
    options: { readonly resourceMetadataUrl?: URL; readonly fetchFn: typeof fetch },
  ): Promise<{
    readonly authorizationServerUrl: string;
    readonly authorizationServerMetadata?: IssuerMetadata | undefined;
    readonly resourceMetadata?: ResourceMetadata | undefined;
  }>;
  discoverAuthorizationServerMetadata(
    issuer: string,
    options: { readonly fetchFn: typeof fetch },
  ): Promise<IssuerMetadata | undefined>;
  registerClient(
    issuer: string,
    options: {
      readonly metadata: IssuerMetadata;
      readonly clientMetadata: Readonly<Record<string, unknown>>;
      readonly scope?: string;
      readonly fetchFn: typeof fetch;
    },
  ): Promise<KnownClient>;
  startAuthorization(
    issuer: string,
    options: {
      readonly metadata: IssuerMetadata;
      readonly clientInformation: KnownClient;
      readonly redirectUrl: string;
      readonly scope?: string;
      readonly state: string;
      readonly resource?: string;
    },
  ): Promise<{ readonly authorizationUrl: URL; readonly codeVerifier: string }>;
  exchangeAuthorization(
    issuer: string,
    options: TokenTerms & {
      readonly authorizationCode: string;
      readonly iss?: string;
      readonly codeVerifier: string;
      readonly redirectUri: string;
    },
  ): Promise<SentTokens>;
  refreshAuthorization(issuer: string, options: TokenTerms & { readonly refreshToken: string }): Promise<SentTokens>;
  validateAuthorizationResponseIssuer(given: {
    readonly iss: string | undefined;
    readonly expectedIssuer: string;
    readonly issParameterSupported: boolean;
  }): void;
  checkResourceAllowed(given: { readonly requestedResource: string; readonly configuredResource: string }): boolean;
  extractWWWAuthenticateParams(answer: Response): {
    readonly resourceMetadataUrl?: URL | undefined;
    readonly scope?: string | undefined;
    readonly error?: string | undefined;
  };
  computeScopeUnion(...scopes: readonly (string | undefined)[]): string | undefined;
  /** The error of an authorization server, with its code. */
  readonly OAuthError: new (...given: never[]) => Error & { readonly code: string };
}
