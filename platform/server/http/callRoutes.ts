import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { isFileAnswer } from '#platform/contract/call.ts';
import { parseInput } from '#platform/contract/parseInput.ts';
import { INVALID_TOKEN_MESSAGE, Refusal } from '#platform/contract/refusal.ts';
import type { Identity, LiveSession } from '../identity/identity.ts';
import { type Caller, type Handler, getRawJson, type JsonChunks } from '../tool.ts';
import { getAddressKey, getRequestOrigin } from './address.ts';
import { isFileResponse, sendFile } from './fileResponse.ts';
import { formatSetCookie, readCookie } from './headers.ts';
import { type RateLimiter, type Rate, RateLimitError } from './rateLimiter.ts';
import { BadRequestError, parseQuery } from './requestBody.ts';

const pack = promisify(gzip);

/** Of characters or bytes: below this the time that is saved on the way is not felt. */
const MIN_COMPRESSED_LENGTH = 32 * 1024;
/** A library of 20,000 songs takes 27 ms and comes to 13.5 percent; at level 6 it takes 103 ms and comes to 12.1. */
const COMPRESSION_LEVEL = 1;

/**
 * Sends JSON, packed where that is worth it: to a phone, a library of 20,000 songs is a second on its way unpacked. On this computer
 * itself there is no way to save. Packing says how much two parts of one answer have in common (BREACH): whoever could use that
 * would have to make another's browser call with its token, which no other site can.
 */
export async function sendCompressedJson(
  request: FastifyRequest,
  reply: FastifyReply,
  json: JsonChunks,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  if (json.reduce((sum, { length }) => sum + length, 0) < MIN_COMPRESSED_LENGTH) return reply.send(json.join(''));
  // As bytes: Node would join a text to its headers and write out both once more.
  const parts = json.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  const isPacked = !request.peer.isLocal && negotiate(request.headers['accept-encoding'] ?? '', ['gzip']) !== null;
  if (!request.peer.isLocal) reply.header('vary', 'accept-encoding');
  if (isPacked)
    return reply
      .header('content-encoding', 'gzip')
      .send(await pack(Buffer.concat(parts), { level: COMPRESSION_LEVEL }));
  const [only] = parts;
  if (only && parts.length === 1) return reply.send(only);
  // One behind the other as they are: joined, a library would be a copy of some megabytes for each who asks.
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return reply.header('content-length', length).send(Readable.from(parts));
}

z.config(en()); // zod/mini brings no words of its own

const SESSION_RATE: Rate = { times: 1200, seconds: 60 };
const VISITOR_RATE: Rate = { times: 300, seconds: 60 };
/** A computer's own tools and tests come from one address: they have ten times as much. */
export const LOCAL_RATE_FACTOR = 10;
export function scaleRate({ times, seconds }: Rate, isLocal: boolean): Rate {
  return {
    times: isLocal ? times * LOCAL_RATE_FACTOR : times,
    seconds,
  };
}

type Fields = Readonly<Record<string, unknown>>;

const textField = (fields: unknown): string | undefined => {
  if (typeof fields !== 'object' || fields === null || !('token' in fields)) return undefined;
  return typeof fields.token === 'string' && fields.token !== '' ? fields.token : undefined;
};

/** The token of a call: the header, else where the specification puts it (query, body, `content` of the body). */
const tokenOf = (request: FastifyRequest, query: Fields): string | undefined => {
  const { authorization } = request.headers;
  if (authorization?.startsWith('Bearer ')) return authorization.slice(7);
  const body = request.body as { readonly content?: unknown } | null | undefined;
  return textField(query) ?? textField(body) ?? textField(body?.content);
};

/** A POST without a body sends no fields; `null` is no object, and told so. */
const getSentBody = (body: unknown): unknown => (body === undefined ? {} : body);

const MAY: Record<Handler['contract']['access'], (session: LiveSession | undefined) => boolean> = {
  anyone: () => true,
  account: (session) => session?.kind === 'person',
  device: (session) => session?.kind === 'device' && session.device !== undefined,
};

const describeZodError = (error: z.core.$ZodError): string => {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.').slice(0, 200) || 'body'}: ${issue.message}` : 'body: not understood';
};

/** What a browser or program calls itself, cut to what is kept. */
const browserOf = (request: FastifyRequest): string => (request.headers['user-agent'] ?? '').slice(0, 300);

const callerOf = (request: FastifyRequest, reply: FastifyReply, session: LiveSession | undefined): Caller => ({
  account: session?.account,
  session: session?.id,
  device: session?.device,
  address: request.peer.address,
  isLocal: request.peer.isLocal,
  origin: getRequestOrigin(request.raw, request.peer),
  browser: browserOf(request),
  cookie: (name) => readCookie(request.headers.cookie, name),
  setCookie: (name, value, options) => {
    reply.header('set-cookie', formatSetCookie(name, value, { ...options, isSecure: request.peer.isHttps }));
  },
});

interface CallDeps {
  readonly identity: Pick<Identity, 'findSession' | 'recordUse'>;
  readonly limits: RateLimiter;
}

/** Puts calls on the server: each takes the token, checks who may, counts, checks the shape, runs, and lets out what its answer declares. */
export function registerHandlers(
  http: FastifyInstance,
  { identity, limits }: CallDeps,
  handlers: readonly Handler[],
): void {
  const count = async (handler: Handler, request: FastifyRequest, session: LiveSession | undefined): Promise<void> => {
    const { address, isLocal } = request.peer;
    const key = session === undefined ? getAddressKey(address) : String(session.id);
    if (session === undefined) await limits.consume('visitor', key, scaleRate(VISITOR_RATE, isLocal));
    else await limits.consume('session', key, scaleRate(SESSION_RATE, isLocal));
    for (const rate of handler.contract.rates ?? [])
      await limits.consume(
        `${handler.contract.path} ${session === undefined ? 'address' : 'session'}`,
        key,
        scaleRate(rate, isLocal),
      );
  };

  /** Who calls. A device may do its own calls only: to all others it is a stranger (reliability.md section 8). */
  const whoCalls = async (handler: Handler, request: FastifyRequest): Promise<LiveSession | undefined> => {
    const token = tokenOf(request, parseQuery(request.query));
    const found = token === undefined ? undefined : await identity.findSession(token);
    request.session = found?.id;
    await count(handler, request, found);
    const session = handler.contract.access !== 'device' && found?.kind === 'device' ? undefined : found;
    if (session) identity.recordUse(session.id, { address: request.peer.address, browser: browserOf(request) });
    else if (http.isOverloaded()) throw new RateLimitError(10, 'The server is busy, try again in a moment');
    return session;
  };

  const answer = async (handler: Handler, request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const { contract, run } = handler;
    const { done = 'ok' } = contract;
    const session = await whoCalls(handler, request);
    if (!MAY[contract.access](session)) return { message: INVALID_TOKEN_MESSAGE };
    const { query, body } = request;
    const parsed = parseInput(contract.request, contract.method === 'GET' ? query : getSentBody(body));
    if (!parsed.success) throw new BadRequestError(describeZodError(parsed.error));
    const result = await run(parsed.data as never, callerOf(request, reply, session) as never);
    const written = getRawJson(result);
    if (written) {
      const [begin, ...more] = written;
      return sendCompressedJson(request, reply, [`{"message":${JSON.stringify(done)},${begin.slice(1)}`, ...more]);
    }
    if (!isFileAnswer(contract.answer))
      return sendCompressedJson(request, reply, [JSON.stringify({ message: done, ...contract.answer.parse(result) })]);
    if (!isFileResponse(result, contract.answer))
      throw new Error(`${contract.path} gave no file of a type it declares`);
    return sendFile(request, reply, result);
  };

  for (const handler of handlers) {
    const { method, path, bodyLimit } = handler.contract;
    http.route({
      method,
      url: path,
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        try {
          return await answer(handler, request, reply);
        } catch (error) {
          if (error instanceof Refusal) return { message: error.message };
          throw error;
        }
      },
    });
  }
}
