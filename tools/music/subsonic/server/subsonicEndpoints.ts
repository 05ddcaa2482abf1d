import { Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import { scaleRate } from '#platform/server/http/callRoutes.ts';
import type { Endpoint, EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import { RateLimitError } from '#platform/server/http/rateLimiter.ts';
import type { AppPasswordUser, AppPasswords, AppCredential } from '#platform/server/identity/identity.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { Library } from '../../library/server/library.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import { browsingCalls, extensions, systemCalls } from './browsingHandlers.ts';
import { type Catalogue, createCatalogues } from './catalogue.ts';
import { type RandomSource, listCalls, playlistCalls } from './listHandlers.ts';
import { mediaCalls, type MediaMethodsDeps } from './mediaHandlers.ts';
import { markCalls, createNowPlaying, playingCalls } from './playingHandlers.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import { type Params, readParams, type SubsonicRequest, type Calls, type FileRun } from './subsonicRequest.ts';
import {
  createResponse,
  createErrorResponse,
  answerTooMany,
  type AnswerOptions,
  parseCallback,
  parseFormat,
  parseShape,
} from './subsonicResponse.ts';

/** Decodes a password: plain, or hexadecimal after `enc:`, which hides it from a glance. */
const decodePassword = (sent: string): string =>
  /^enc:(?:[0-9a-f]{2})+$/i.test(sent) ? Buffer.from(sent.slice(4), 'hex').toString('utf8') : sent;

/** Returns the credential of a request. @throws SubsonicError if there is none, or more than one kind. */
export function parseCredential(params: Params): AppCredential {
  const [key, username, password, token] = ['apiKey', 'u', 'p', 't'].map(params.text);
  if (key !== undefined && (username ?? password ?? token) !== undefined)
    throw new SubsonicError(codes.conflicting, 'Send either an API key or a username');
  if (password !== undefined && token !== undefined)
    throw new SubsonicError(codes.conflicting, 'Send either a password or a token');
  if (key !== undefined) return { key };
  if (username === undefined) throw new SubsonicError(codes.missing, 'Required parameter is missing: u');
  if (password !== undefined) return { username, password: decodePassword(password) };
  if (token === undefined) throw new SubsonicError(codes.missing, 'Required parameter is missing: p, or t and s');
  return { username, token, salt: params.needed('s') };
}

const WRONG =
  'Wrong username or app password. Your account password does not work here. Create an app password for music in the settings';

/** Authenticates with an app password for music. @throws SubsonicError or RateLimitError */
export async function signIn(
  params: Params,
  address: string,
  appPasswords: Pick<AppPasswords, 'verify'>,
): Promise<AppPasswordUser> {
  const proof = parseCredential(params);
  const user = await appPasswords.verify(proof, { kind: 'music', address });
  if (user !== undefined) return user;
  throw 'key' in proof
    ? new SubsonicError(
        codes.wrongKey,
        'Invalid API key. App passwords for music are API keys. Create one in the settings',
      )
    : new SubsonicError(codes.wrongLogin, WRONG);
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

export interface SubsonicDeps extends MediaMethodsDeps {
  readonly store: MusicStore;
  readonly library: Library;
  /** Version of Pegboard. */
  readonly version: string;
  readonly dice?: RandomSource;
}

const PATH = '/rest/';
/** Returns the name of the call in `/rest/ping` or, for older players, `/rest/ping.view`. */
const getCallName = (url: string): string => (url.split('?', 1)[0] ?? '').slice(PATH.length).replace(/\.view$/, '');

const own = <Each>(calls: Calls<Each>, name: string): Each | undefined =>
  Object.hasOwn(calls, name) ? calls[name] : undefined;

/**
 * Creates the OpenSubsonic endpoints at `/rest/`. They only accept app passwords for music: session tokens, cookies and
 * the password of the account are ignored.
 */
export function subsonicEndpoints(context: ServerContext, deps: SubsonicDeps): readonly Endpoint[] {
  const { database, identity, limits, now } = context;
  const { store, library, version, dice = Math.random } = deps;
  const catalogues = createCatalogues({ database, store, now });
  const nowPlaying = createNowPlaying(now);
  const calls: Calls = {
    ...systemCalls,
    ...browsingCalls,
    ...listCalls(dice),
    ...playlistCalls({ database, store, library }),
    ...markCalls({ database, store, library, now, nowPlaying }),
    ...playingCalls({ database, now, nowPlaying }),
  };
  const files: Calls<FileRun> = mediaCalls(deps);

  const authenticate = async (request: EndpointRequest, params: Params): Promise<AppPasswordUser> => {
    const { address, isLocal } = request;
    const refuseUnauthenticated = () =>
      limits.consume('rest stranger', getAddressKey(address), scaleRate(UNAUTHENTICATED_RATE, isLocal));
    try {
      const user = await signIn(params, address, identity.appPasswords);
      await limits.consume('rest', String(user.id), scaleRate(USER_RATE, isLocal));
      return user;
    } catch (error) {
      if (error instanceof SubsonicError) await refuseUnauthenticated();
      throw error;
    }
  };

  const answer = async (
    request: EndpointRequest,
    params: Params,
    answering: AnswerOptions,
  ): Promise<EndpointResponse> => {
    const name = getCallName(request.url);
    checkVersion(params.text('v'));
    if (name === 'getOpenSubsonicExtensions') return createResponse(answering, extensions);
    const user = await authenticate(request, params);
    let catalogue: Promise<Catalogue> | undefined;
    const subsonicRequest: SubsonicRequest = {
      request,
      params,
      user,
      catalogue: () => (catalogue ??= catalogues.get(user.account)),
    };
    const file = own(files, name);
    if (file !== undefined) return file(subsonicRequest);
    const run = own(calls, name);
    if (run === undefined) throw new SubsonicError(codes.generic, 'There is no such call', 404);
    return createResponse(answering, await run(subsonicRequest));
  };

  const run = async (request: EndpointRequest): Promise<EndpointResponse> => {
    const params = readParams(request);
    const format = params.text('f');
    const callback = parseCallback(format, params.text('callback'));
    const answering = { format: parseFormat(format), callback, shape: parseShape(params.text('v')), version };
    try {
      return await answer(request, params, answering);
    } catch (error) {
      if (error instanceof SubsonicError) return createErrorResponse(answering, error);
      if (error instanceof Refusal)
        return createErrorResponse(answering, new SubsonicError(codes.generic, error.message));
      if (error instanceof RateLimitError) return answerTooMany(answering, error.message, error.retryAfterSeconds);
      throw error;
    }
  };
  return [{ methods: ['GET', 'HEAD', 'POST'], path: `${PATH}*`, anyOrigin: true, bodyLimit: BODY_LIMIT_BYTES, run }];
}
