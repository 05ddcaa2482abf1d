import type { FastifyBaseLogger } from 'fastify';
import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Egress } from '../egress/egress.ts';

/** Settings of single sign-on with OpenID Connect. */
export interface SingleSignOnOptions {
  /** Address of the provider, below which its metadata is. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** Name of the provider on buttons. */
  readonly name: string;
  /** Whether people without an account get one. */
  readonly createsAccounts: boolean;
  /** Whether passwords log in as well. */
  readonly allowsPasswords: boolean;
}

/** What belongs to one login, apart from what its address contains. */
export interface SignOnSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Code verifier (RFC 7636). */
  readonly verifier: string;
  readonly redirectUri: string;
}

/** A person whom the provider has identified. */
export interface ExternalPerson {
  /** Permanent id of the person at the provider. */
  readonly subject: string;
  /** Username or e-mail address, for display; may be empty. */
  readonly label: string;
  /** Whether the provider says that it checked several factors (`mfa` of RFC 8176). */
  readonly usedSeveralFactors: boolean;
}

const MAX_RESPONSE_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** How long metadata of the provider is cached. */
const METADATA_TTL_MS = HOUR_MS;
const SCOPE = 'openid profile email';
const MAX_LABEL_LENGTH = 200;

/** Makes the requests of the library through the guarded egress. */
const createFetch =
  (egress: Egress) =>
  async (url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> => {
    const response = await egress.fetch(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      // The library only sends forms.
      ...(body instanceof URLSearchParams ? { body: Buffer.from(body.toString()) } : {}),
      maxBytes: MAX_RESPONSE_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    const names = ['content-type', 'www-authenticate', 'cache-control'];
    const responseHeaders = names.flatMap((name) => {
      const value = response.header(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    const hasBody = response.status !== 204 && response.status !== 304;
    return new Response(hasBody ? Buffer.from(response.body) : null, {
      status: response.status,
      headers: responseHeaders,
    });
  };

const toText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_LABEL_LENGTH) : '');

/** Returns the error code of an answer of the provider, such as `access_denied`. */
const getProviderError = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'error' in error ? toText(error.error) : '';

interface OpenIdProviderDeps {
  readonly egress: Egress;
  readonly log: FastifyBaseLogger;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
}

/** Creates the client of an OpenID provider. Its metadata is loaded with the first login, not with the server. */
export function createOpenIdProvider(options: SingleSignOnOptions, { egress, log, clock }: OpenIdProviderDeps) {
  const { issuer, clientId, clientSecret, name } = options;
  let metadata: { readonly configuration: Promise<Configuration>; readonly loadedAt: number } | undefined;

  async function discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const issuerUrl = new URL(issuer);
    const [basic, post] =
      clientSecret === undefined
        ? [client.None(), client.None()]
        : [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
    const authenticate: ClientAuth = (server, ...request) => {
      // Without this field, the provider supports only this method (OpenID Connect Discovery 1.0).
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...request);
    };
    return client.discovery(issuerUrl, clientId, undefined, authenticate, {
      [client.customFetch]: createFetch(egress),
      // oxlint-disable-next-line typescript/no-deprecated -- the settings only allow it in the local network
      execute: issuerUrl.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    });
  }

  function logFailure(error: unknown): void {
    // Neither the response nor the tokens in the error.
    const { code, message, cause } = error instanceof Error ? (error as Error & { readonly code?: string }) : {};
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
    log.warn({ code, reason, providerError: getProviderError(error) }, 'signon.failed');
  }

  /** @throws Refusal if the provider can't be reached. */
  async function getConfiguration(): Promise<Configuration> {
    if (metadata === undefined || clock() - metadata.loadedAt > METADATA_TTL_MS)
      metadata = { configuration: discover(), loadedAt: clock() };
    const { configuration } = metadata;
    try {
      return await configuration;
    } catch (cause) {
      if (metadata?.configuration === configuration) metadata = undefined;
      logFailure(cause);
      const advice = options.allowsPasswords ? 'Log in with your password, or try again later' : 'Try again later';
      throw new Refusal('signon.unreachable', `${name} can't be reached. ${advice}`, { cause });
    }
  }

  return {
    /** Starts a login. @throws Refusal if the provider can't be reached. */
    start: async (redirectUri: string): Promise<{ readonly address: string; readonly secrets: SignOnSecrets }> => {
      const configuration = await getConfiguration();
      const client = await import('openid-client');
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        redirectUri,
      };
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
        state: secrets.state,
        nonce: secrets.nonce,
      });
      return { address: address.href, secrets };
    },

    /**
     * Checks the response of the provider, and returns the person.
     * @param response query of the address with which the provider opened our page
     * @throws Refusal if the person cancelled, the response is wrong, or the provider can't be reached.
     */
    finish: async (response: string, secrets: SignOnSecrets): Promise<ExternalPerson> => {
      const configuration = await getConfiguration();
      const client = await import('openid-client');
      const currentUrl = new URL(secrets.redirectUri);
      currentUrl.search = response;
      try {
        const tokens = await client.authorizationCodeGrant(configuration, currentUrl, {
          pkceCodeVerifier: secrets.verifier,
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('the provider sent no ID token');
        // Some providers name people only here.
        const isNamed = claims['preferred_username'] !== undefined || claims['email'] !== undefined;
        const profile = isNamed
          ? claims
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(() => claims);
        const methods = claims['amr'];
        return {
          subject: claims.sub,
          label: toText(profile['preferred_username']) || toText(profile['email']),
          usedSeveralFactors: Array.isArray(methods) && methods.includes('mfa'),
        };
      } catch (cause) {
        if (getProviderError(cause) === 'access_denied')
          throw new Refusal('signon.cancelled', `The login at ${name} was cancelled. Start again to log in`, { cause });
        logFailure(cause);
        throw new Refusal('signon.failed', `The login at ${name} did not work. Start again`, { cause });
      }
    },
  };
}

export type OpenIdProvider = ReturnType<typeof createOpenIdProvider>;
