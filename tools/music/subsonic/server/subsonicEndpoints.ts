import { Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import { scaleRate } from '#platform/server/http/callRoutes.ts';
import type { Endpoint, EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import { RateLimitError } from '#platform/server/http/rateLimiter.ts';
import type { AppPasswordUser, AppPasswords, AppCredential } from '#platform/server/identity/identity.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { Library } from '../../library/server/library.ts';
import type { MusicStore } from '../../library/server/store/musicStore.ts';
import { browsingHandlers, extensions, systemHandlers } from './browsingHandlers.ts';
import { type Catalogue, createCatalogues } from './catalogue.ts';
import { type RandomSource, createListHandlers, createPlaylistHandlers } from './listHandlers.ts';
import { createMediaHandlers, type MediaHandlersDeps } from './mediaHandlers.ts';
import { createMarkHandlers, createNowPlaying, createPlayingHandlers } from './playingHandlers.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import {
  type Params,
  readParams,
  type SubsonicRequest,
  type SubsonicHandlers,
  type FileHandler,
} from './subsonicRequest.ts';
import {
  createResponse,
  createErrorResponse,
  createRateLimitResponse,
  type AnswerOptions,
  parseCallback,
  parseFormat,
  parseShape,
} from './subsonicResponse.ts';

/** Decodes a password: plain, or hexadecimal after `enc:`, which only hides it from a glance. */
const decodePassword = (password: string): string =>
  /^enc:(?:[0-9a-f]{2})+$/i.test(password) ? Buffer.from(password.slice(4), 'hex').toString('utf8') : password;

/** Returns the credential of a request. @throws SubsonicError if there is none, or more than one kind. */
export function parseCredential(params: Params): AppCredential {
  const [key, username, password, token] = ['apiKey', 'u', 'p', 't'].map(params.getText);
  if (key !== undefined && (username ?? password ?? token) !== undefined)
    throw new SubsonicError(codes.conflicting, 'Send either an API key or a username');
  if (password !== undefined && token !== undefined)
    throw new SubsonicError(codes.conflicting, 'Send either a password or a token');
  if (key !== undefined) return { key };
  if (username === undefined) throw new SubsonicError(codes.missing, 'Required parameter is missing: u');
  if (password !== undefined) return { username, password: decodePassword(password) };
  if (token === undefined) throw new SubsonicError(codes.missing, 'Required parameter is missing: p, or t and s');
  return { username, token, salt: params.getRequired('s') };
}

const WRONG_LOGIN_MESSAGE =
  'Wrong username or app password. Your account password does not work here. Create an app password for music in the settings';

/** Authenticates with an app password for music. @throws SubsonicError or RateLimitError */
export async function logIn(
  params: Params,
  address: string,
  appPasswords: Pick<AppPasswords, 'verify'>,
): Promise<AppPasswordUser> {
  const credential = parseCredential(params);
  const user = await appPasswords.verify(credential, { kind: 'music', address });
  if (user !== undefined) return user;
  throw 'key' in credential
    ? new SubsonicError(
        codes.wrongKey,
        'Invalid API key. App passwords for music are API keys. Create one in the settings',
      )
    : new SubsonicError(codes.wrongLogin, WRONG_LOGIN_MESSAGE);
}

/** Checks that the major versions are equal. @throws SubsonicError */
export function checkVersion(version: string | undefined): void {
  const major = Number(/^(\d{1,4})\./.exec(version ?? '')?.[1] ?? 1);
  if (major < 1)
    throw new SubsonicError(codes.clientTooOld, 'This player uses a protocol that is too old. Update the player');
  if (major > 1) throw new SubsonicError(codes.serverTooOld, 'This player uses a newer protocol than this server');
}

/** A request can contain a whole playlist: an id of 16 digits for each song. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
/** Per app password. Players request pictures one by one. */
const USER_RATE = { times: 6000, seconds: 60 };
/** Per address, without a valid app password. */
const UNAUTHENTICATED_RATE = { times: 300, seconds: 60 };

export interface SubsonicDeps extends MediaHandlersDeps {
  readonly store: MusicStore;
  readonly library: Library;
  /** Version of Pegboard. */
  readonly version: string;
  readonly random?: RandomSource;
}

const PATH = '/rest/';
/**
 * Returns the name of the call in `/rest/ping` or, for older players, `/rest/ping.view`. Ignores the slashes that are
 * too many when the address of the server ends with one.
 */
const getCallName = (url: string): string =>
  (url.split('?', 1)[0] ?? '')
    .slice(PATH.length)
    .replaceAll(/^\/+|\/+$/g, '')
    .replace(/\.view$/, '');

const getOwn = <Each>(handlers: SubsonicHandlers<Each>, name: string): Each | undefined =>
  Object.hasOwn(handlers, name) ? handlers[name] : undefined;

/**
 * Creates the OpenSubsonic endpoints at `/rest/`. They only accept app passwords for music: session tokens, cookies and
 * the password of the account are ignored.
 */
export function createSubsonicEndpoints(context: ServerContext, deps: SubsonicDeps): readonly Endpoint[] {
  const { database, identity, rateLimiter, now } = context;
  const { store, library, version, random = Math.random } = deps;
  const catalogues = createCatalogues({ database, store, now });
  const nowPlaying = createNowPlaying(context);
  const handlers: SubsonicHandlers = {
    ...systemHandlers,
    ...browsingHandlers,
    ...createListHandlers(random),
    ...createPlaylistHandlers({ database, store, library }),
    ...createMarkHandlers({ database, store, library, now, nowPlaying }),
    ...createPlayingHandlers({ database, now, nowPlaying }),
  };
  const fileHandlers: SubsonicHandlers<FileHandler> = createMediaHandlers(deps);

  async function authenticate(request: EndpointRequest, params: Params): Promise<AppPasswordUser> {
    const { address, isLocal } = request;
    const countUnauthenticated = () =>
      rateLimiter.consume('rest stranger', getAddressKey(address), scaleRate(UNAUTHENTICATED_RATE, isLocal));
    try {
      const user = await logIn(params, address, identity.appPasswords);
      await rateLimiter.consume('rest', String(user.id), scaleRate(USER_RATE, isLocal));
      return user;
    } catch (error) {
      if (error instanceof SubsonicError) await countUnauthenticated();
      throw error;
    }
  }

  async function runCall(request: EndpointRequest, params: Params, options: AnswerOptions): Promise<EndpointResponse> {
    const name = getCallName(request.url);
    checkVersion(params.getText('v'));
    if (name === 'getOpenSubsonicExtensions') return createResponse(options, extensions);
    const user = await authenticate(request, params);
    let catalogue: Promise<Catalogue> | undefined;
    const subsonicRequest: SubsonicRequest = {
      request,
      params,
      user,
      loadCatalogue: () => (catalogue ??= catalogues.get(user.account)),
    };
    const fileHandler = getOwn(fileHandlers, name);
    if (fileHandler !== undefined) return fileHandler(subsonicRequest);
    const handler = getOwn(handlers, name);
    if (handler === undefined) throw new SubsonicError(codes.generic, 'There is no such call', 404);
    return createResponse(options, await handler(subsonicRequest));
  }

  async function run(request: EndpointRequest): Promise<EndpointResponse> {
    const params = readParams(request);
    const format = params.getText('f');
    const callback = parseCallback(format, params.getText('callback'));
    const options = { format: parseFormat(format), callback, shape: parseShape(params.getText('v')), version };
    try {
      return await runCall(request, params, options);
    } catch (error) {
      if (error instanceof SubsonicError) return createErrorResponse(options, error);
      if (error instanceof Refusal)
        return createErrorResponse(options, new SubsonicError(codes.generic, error.message));
      if (error instanceof RateLimitError)
        return createRateLimitResponse(options, error.message, error.retryAfterSeconds);
      throw error;
    }
  }
  return [{ methods: ['GET', 'HEAD', 'POST'], path: `${PATH}*`, anyOrigin: true, bodyLimit: BODY_LIMIT_BYTES, run }];
}
