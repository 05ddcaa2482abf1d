import { Refusal } from '#platform/contract/refusal.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import { scaleRate } from '#platform/server/http/callRoutes.ts';
import type { Endpoint, EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import { RateLimitError } from '#platform/server/http/rateLimiter.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { Library } from '../../library/server/library.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import { browsingCalls } from './browsingHandlers.ts';
import type { Catalogue } from './catalogue.ts';
import { createCatalogues } from './catalogues.ts';
import { type Dice, listCalls } from './listHandlers.ts';
import { markCalls } from './marks.ts';
import { mediaCalls, type MediaMethodsDeps } from './mediaHandlers.ts';
import { createNowPlaying } from './nowPlaying.ts';
import { type Params, readParams } from './params.ts';
import { playingCalls } from './playingHandlers.ts';
import { playlistCalls } from './playlists.ts';
import { checkVersion, signIn } from './signIn.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import type { SubsonicRequest, Calls, FileRun } from './subsonicRequest.ts';
import {
  answerOf,
  answerOfError,
  answerTooMany,
  type AnswerOptions,
  callbackOf,
  formatOf,
  shapeOf,
} from './subsonicResponse.ts';
import { extensions, systemCalls } from './system.ts';

/** A playlist may be sent whole: an id of 16 digits for each of its songs. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
/** Of an app password: pictures are asked for one by one. */
const USER_RATE = { times: 6000, seconds: 60 };
/** Of an address, without a right app password. */
const UNAUTHENTICATED_RATE = { times: 300, seconds: 60 };

export interface SubsonicDeps extends MediaMethodsDeps {
  readonly store: MusicStore;
  readonly library: Library;
  /** Of Pegboard. */
  readonly version: string;
  readonly dice?: Dice;
}

const PATH = '/rest/';
/** `/rest/ping` and, as in older days, `/rest/ping.view`. */
const callOf = (url: string): string => (url.split('?', 1)[0] ?? '').slice(PATH.length).replace(/\.view$/, '');

const own = <Each>(calls: Calls<Each>, name: string): Each | undefined =>
  Object.hasOwn(calls, name) ? calls[name] : undefined;

/** Answers below `/rest/`: OpenSubsonic, for the account whose app password for music is sent. Tokens, cookies and the account's own password count for nothing. */
export const subsonicEndpoints = (ground: ServerContext, parts: SubsonicDeps): readonly Endpoint[] => {
  const { database, identity, limits, now } = ground;
  const { store, library, version, dice = Math.random } = parts;
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
  const files: Calls<FileRun> = mediaCalls(parts);

  const signedIn = async (request: EndpointRequest, params: Params): Promise<AppPasswordUser> => {
    const { address, isLocal } = request;
    const stranger = () =>
      limits.consume('rest stranger', getAddressKey(address), scaleRate(UNAUTHENTICATED_RATE, isLocal));
    try {
      const user = await signIn(params, address, identity.appPasswords);
      await limits.consume('rest', String(user.id), scaleRate(USER_RATE, isLocal));
      return user;
    } catch (error) {
      if (error instanceof SubsonicError) await stranger();
      throw error;
    }
  };

  const answer = async (
    request: EndpointRequest,
    params: Params,
    answering: AnswerOptions,
  ): Promise<EndpointResponse> => {
    const name = callOf(request.url);
    checkVersion(params.text('v'));
    if (name === 'getOpenSubsonicExtensions') return answerOf(answering, extensions);
    const user = await signedIn(request, params);
    let catalogue: Promise<Catalogue> | undefined;
    const asked: SubsonicRequest = {
      request,
      params,
      user,
      catalogue: () => (catalogue ??= catalogues.of(user.account)),
    };
    const file = own(files, name);
    if (file !== undefined) return file(asked);
    const run = own(calls, name);
    if (run === undefined) throw new SubsonicError(codes.generic, 'This server has no such call', 404);
    return answerOf(answering, await run(asked));
  };

  const run = async (request: EndpointRequest): Promise<EndpointResponse> => {
    const params = readParams(request);
    const format = params.text('f');
    const callback = callbackOf(format, params.text('callback'));
    const answering = { format: formatOf(format), callback, shape: shapeOf(params.text('v')), version };
    try {
      return await answer(request, params, answering);
    } catch (error) {
      if (error instanceof SubsonicError) return answerOfError(answering, error);
      if (error instanceof Refusal) return answerOfError(answering, new SubsonicError(codes.generic, error.message));
      if (error instanceof RateLimitError) return answerTooMany(answering, error.message, error.retryAfterSeconds);
      throw error;
    }
  };
  return [{ methods: ['GET', 'HEAD', 'POST'], path: `${PATH}*`, anyOrigin: true, bodyLimit: BODY_LIMIT_BYTES, run }];
};
