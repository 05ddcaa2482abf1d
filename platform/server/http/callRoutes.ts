import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import type { Call } from '#platform/contract/call.ts';
import { isFileAnswer } from '#platform/contract/client.ts';
import { parseInput } from '#platform/contract/parseInput.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { SuspendedRefusal } from '../identity/accountStore.ts';
import type { Identity, LiveSession } from '../identity/identity.ts';
import { withDeferrableWrites } from '../storage/diskFullError.ts';
import { type Caller, type Handler, getRawJson, hasAccess, type JsonChunks } from '../tool.ts';
import { getAddressKey, getRequestOrigin } from './address.ts';
import { isFileResponse, sendFile } from './fileResponse.ts';
import { formatSetCookie, readCookie, truncateUserAgent } from './headers.ts';
import { type RateLimiter, type Rate, RateLimitError } from './rateLimiter.ts';
import { BadRequestError, describeZodError, getTokenField, parseQuery } from './requestBody.ts';

const compress = promisify(gzip);

/** Minimum length in characters or bytes. Below it, compression saves no noticeable time. */
const MIN_COMPRESSED_LENGTH = 32 * 1024;
/** Gzip level. A list of 20,000 entries shrinks to 13.5 % in 27 ms; level 6 takes 103 ms for 12.1 %. */
const COMPRESSION_LEVEL = 1;

/**
 * Sends JSON, compressed if it is long and the client is remote.
 * BREACH is no risk: it needs requests with the victim's token, which other sites cannot send.
 */
export async function sendCompressedJson(
  request: FastifyRequest,
  reply: FastifyReply,
  json: JsonChunks,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  if (json.reduce((sum, { length }) => sum + length, 0) < MIN_COMPRESSED_LENGTH) return reply.send(json.join(''));
  // Converts texts to bytes, because Node would concatenate a text with its headers and encode both again.
  const parts = json.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  const isCompressed = !request.peer.isLocal && negotiate(request.headers['accept-encoding'] ?? '', ['gzip']) !== null;
  if (!request.peer.isLocal) reply.header('vary', 'accept-encoding');
  if (isCompressed)
    return reply
      .header('content-encoding', 'gzip')
      .send(await compress(Buffer.concat(parts), { level: COMPRESSION_LEVEL }));
  const [firstPart] = parts;
  if (firstPart && parts.length === 1) return reply.send(firstPart);
  // Joining the parts would copy megabytes for each request for a library.
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return reply.header('content-length', length).send(Readable.from(parts));
}

z.config(en()); // zod/mini has no messages of its own

const SESSION_RATE: Rate = { times: 1200, seconds: 60 };
const VISITOR_RATE: Rate = { times: 300, seconds: 60 };
/** Programs and tests on this computer share one address, so their rates are ten times as high. */
export const LOCAL_RATE_FACTOR = 10;
/** Returns a rate, multiplied by `LOCAL_RATE_FACTOR` for this computer. */
export function scaleRate({ times, seconds }: Rate, isLocal: boolean): Rate {
  return { times: isLocal ? times * LOCAL_RATE_FACTOR : times, seconds };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the token from the header, the query, the body or `content` of the body
 * (docs/specification/platform.md section 2.1).
 */
function readToken(request: FastifyRequest, query: Fields): string | undefined {
  const { authorization } = request.headers;
  if (authorization?.startsWith('Bearer ')) return authorization.slice(7);
  const body = request.body as { readonly content?: unknown } | null | undefined;
  return getTokenField(query) ?? getTokenField(body) ?? getTokenField(body?.content);
}

const createCaller = (request: FastifyRequest, reply: FastifyReply, session: LiveSession | undefined): Caller => ({
  account: session?.account,
  session: session?.id,
  device: session?.device,
  address: request.peer.address,
  isLocal: request.peer.isLocal,
  origin: getRequestOrigin(request.raw, request.peer),
  isPage: request.headers.origin !== undefined,
  browser: truncateUserAgent(request.headers['user-agent']),
  cookie: (name) => readCookie(request.headers.cookie, name),
  setCookie: (name, value, options) => {
    reply.header(
      'set-cookie',
      formatSetCookie(name, value, { ...options, isSecure: request.peer.isHttps, basePath: request.server.basePath }),
    );
  },
});

interface CallDeps {
  readonly identity: Pick<Identity, 'findSession' | 'recordUse'>;
  readonly rateLimiter: RateLimiter;
}

const compiledAnswers = new WeakMap<z.ZodMiniObject, z.ZodMiniObject>();
/**
 * Validates an answer, and removes undeclared fields. For large answers it is compiled: zod's interpreter takes as long
 * as all other work. Pages can't do this, as their CSP forbids generated code.
 */
function parseAnswer({ isLarge }: Call, answer: z.ZodMiniObject, result: object): object {
  if (isLarge !== true) return answer.parse(result);
  const compiledAnswer = compiledAnswers.get(answer) ?? z.compile(answer);
  compiledAnswers.set(answer, compiledAnswer);
  return compiledAnswer.parse(result);
}

/** Registers calls: each checks token, access, rates and input, runs its handler, and sends only declared fields. */
export function registerHandlers(
  http: FastifyInstance,
  { identity, rateLimiter }: CallDeps,
  handlers: readonly Handler[],
): void {
  async function applyRates(
    handler: Handler,
    request: FastifyRequest,
    session: LiveSession | undefined,
  ): Promise<void> {
    const { address, isLocal } = request.peer;
    const key = session === undefined ? getAddressKey(address) : String(session.id);
    if (session === undefined) await rateLimiter.consume('visitor', key, scaleRate(VISITOR_RATE, isLocal));
    else await rateLimiter.consume('session', key, scaleRate(SESSION_RATE, isLocal));
    for (const rate of handler.contract.rates ?? [])
      await rateLimiter.consume(
        `${handler.contract.path} ${session === undefined ? 'address' : 'session'}`,
        key,
        scaleRate(rate, isLocal),
      );
  }

  /** A suspended account may do what visitors may. @throws Refusal for its other calls */
  async function findSession(token: string, { contract }: Handler): Promise<LiveSession | undefined> {
    try {
      return await identity.findSession(token);
    } catch (error) {
      if (error instanceof SuspendedRefusal && contract.access === 'anyone') return undefined;
      throw error;
    }
  }

  /** Finds the session of a call. A device may only make device calls, and is unauthenticated for all others. */
  async function findCallerSession(handler: Handler, request: FastifyRequest): Promise<LiveSession | undefined> {
    const token = readToken(request, parseQuery(request.query));
    const tokenSession = token === undefined ? undefined : await findSession(token, handler);
    request.session = tokenSession?.id;
    await applyRates(handler, request, tokenSession);
    const session = handler.contract.access !== 'device' && tokenSession?.kind === 'device' ? undefined : tokenSession;
    if (session)
      identity.recordUse(session.id, {
        address: request.peer.address,
        browser: truncateUserAgent(request.headers['user-agent']),
      });
    else if (http.isOverloaded()) throw new RateLimitError(10, 'The server is busy. Try again in a moment');
    return session;
  }

  async function runCall(handler: Handler, request: FastifyRequest, reply: FastifyReply): Promise<object> {
    const { contract, run } = handler;
    const { done = 'ok' } = contract;
    const session = await findCallerSession(handler, request);
    if (!hasAccess(contract.access, session)) throw new InvalidTokenRefusal();
    // A POST without a body has no fields. `null` is refused, because it is not an object.
    const { query, body = {} } = request;
    const parsed = parseInput(contract.request, contract.method === 'GET' ? query : body);
    if (!parsed.success) throw new BadRequestError(describeZodError(parsed.error, 'body'));
    const caller = createCaller(request, reply, session);
    const handleCall = () => run(parsed.data as never, caller as never);
    const result = (await (contract.usesReserve === true ? handleCall() : withDeferrableWrites(handleCall))) ?? {};
    const rawJson = getRawJson(result);
    if (rawJson) {
      const [firstChunk, ...rest] = rawJson;
      return sendCompressedJson(request, reply, [`{"message":${JSON.stringify(done)},${firstChunk.slice(1)}`, ...rest]);
    }
    if (!isFileAnswer(contract.answer))
      return sendCompressedJson(request, reply, [
        JSON.stringify({ message: done, ...parseAnswer(contract, contract.answer, result) }),
      ]);
    if (!isFileResponse(result, contract.answer))
      throw new Error(`${contract.path} gave no file of a type it declares`);
    return sendFile(request, reply, result);
  }

  for (const handler of handlers) {
    const { method, path, bodyLimit } = handler.contract;
    http.route({
      method,
      url: path,
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        try {
          return await runCall(handler, request, reply);
        } catch (error) {
          if (error instanceof Refusal) return { message: error.message, code: error.code };
          throw error;
        }
      },
    });
  }
}
