import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import OpenIdProvider from 'oidc-provider';
import type { SingleSignOnOptions } from '#platform/server/identity/openIdProvider.ts';
import { listenLocally } from './localServer.ts';

/** Who is logged in at the provider. */
export interface ProviderPerson {
  readonly subject: string;
  /** Username at the provider. */
  readonly name?: string;
  /** How the provider checked the person (RFC 8176). */
  readonly methods?: readonly string[];
}

export interface TestOpenIdProvider extends AsyncDisposable {
  /** Options of a server that uses this provider. */
  readonly options: SingleSignOnOptions;
  /** Registers the address to which people are sent back. */
  readonly register: (redirectUri: string) => void;
  /** Sets who logs in next; undefined cancels. */
  readonly setPerson: (person: ProviderPerson | undefined) => void;
  /** Logs in at the address, as a browser does. Returns the query with which the provider opens our page. */
  readonly logIn: (address: string) => Promise<string>;
}

const TTL_SECONDS = 3600;
const CLIENT_ID = 'pegboard';
const CLIENT_SECRET = randomBytes(32).toString('base64url');

function createKeySet() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] };
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The provider before the redirect address is registered. */
const sendUnavailable: RequestHandler = (_request, response) => response.writeHead(503).end();

/** Starts a real OpenID provider, which logs in the person that was set, without a page. */
export async function startOpenIdProvider(): Promise<TestOpenIdProvider> {
  let person: ProviderPerson | undefined = { subject: 'nobody' };
  let handle = sendUnavailable;
  const http = createServer((request, response) => void handle(request, response));
  const local = await listenLocally(http);
  const { origin } = local;
  const names = new Map<string, string>();

  function register(redirectUri: string): void {
    const provider = new OpenIdProvider(origin, {
      clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] }],
      jwks: createKeySet(),
      cookies: { keys: ['test'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      claims: { openid: ['sub', 'amr'], profile: ['preferred_username'], email: ['email'] },
      ttl: {
        AccessToken: TTL_SECONDS,
        Grant: TTL_SECONDS,
        IdToken: TTL_SECONDS,
        Interaction: TTL_SECONDS,
        Session: TTL_SECONDS,
      },
      findAccount: async (_context, accountId) => ({
        accountId,
        claims: async () => ({ sub: accountId, preferred_username: names.get(accountId) }),
      }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
    const callback = provider.callback();
    handle = async (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) return callback(request, response);
      if (person === undefined) return provider.interactionFinished(request, response, { error: 'access_denied' });
      const { subject, name, methods } = person;
      if (name !== undefined) names.set(subject, name);
      const login = { accountId: subject, remember: false, ...(methods === undefined ? {} : { amr: [...methods] }) };
      return provider.interactionFinished(request, response, { login });
    };
  }

  return {
    options: {
      issuer: origin,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      name: 'Authelia',
      createsAccounts: true,
      allowsPasswords: true,
    },
    register,
    setPerson: (next) => {
      person = next;
    },
    logIn: async (address) => {
      const cookies = new Map<string, string>();
      let url = new URL(address);
      while (url.origin === origin) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
        for (const line of response.headers.getSetCookie()) {
          const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
        url = new URL(location, url);
      }
      return url.search;
    },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}
