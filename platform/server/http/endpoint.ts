import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Ranged } from '#platform/contract/call.ts';
import { getRequestOrigin } from './address.ts';
import { isRangedContent, sendRanged, IDLE_TIMEOUT_MS } from './fileResponse.ts';
import { MAX_BODY_BYTES } from './requestBody.ts';

/** A request to an endpoint, as it came. */
export interface EndpointRequest {
  readonly method: string;
  /** Path and query of the address, not decoded. */
  readonly url: string;
  /** By its name in lower case. */
  readonly getHeader: (name: string) => string | undefined;
  /** Empty where there is none. */
  readonly body: Uint8Array;
  /** The client's address, as the trusted proxy or the socket gives it. */
  readonly address: string;
  readonly isLocal: boolean;
  /** Under which this server was reached, such as `http://pegboard.local:8300`. */
  readonly origin: string;
  readonly browser: string;
}

export interface EndpointResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Pieces are sent as they come, as fast as the client takes them; one that throws cuts the answer off. What is ranged goes with a status of
   * 200 and is answered by the range that was asked for.
   */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array> | Ranged;
}

/** What a route that answers a file says of itself in the OpenAPI document. */
export interface FileRoute {
  /** As routes are written here: `/api/cwservet/:file`. */
  readonly path: `/api/${string}`;
  /** One sentence. */
  readonly summary: string;
  readonly types: readonly string[];
}

/** The routes among endpoints that the OpenAPI document describes. */
export function listFileRoutes(endpoints: readonly Endpoint[]): readonly FileRoute[] {
  return endpoints.flatMap(({ path, about }) => (about ? [{ path: path as FileRoute['path'], ...about }] : []));
}

/** An answer in the shape that refusals of calls have. */
export function createErrorResponse(status: number, message: string): EndpointResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ message }),
  };
}

/**
 * An address outside the API that speaks a protocol of its own: CalDAV, a calendar feed. Whoever asks proves themselves by what that protocol
 * has; cookies and session tokens count for nothing here. Host, Origin (but see `anyOrigin`) and rate of the address are checked before it as for calls.
 */
export interface Endpoint {
  readonly methods: readonly string[];
  /** `/dav/*`, `/calendar/feed/:file`. */
  readonly path: `/${string}`;
  /** Pages of any other site may call it too, and read what it answers: for players and calendars that are pages themselves. */
  readonly anyOrigin?: boolean;
  /** Largest body in bytes; 64 KiB where left out. */
  readonly bodyLimit?: number;
  /** Of what is asked for below `/api/`: how the OpenAPI document describes it. */
  readonly about?: Omit<FileRoute, 'path'>;
  readonly run: (request: EndpointRequest) => Promise<EndpointResponse>;
}

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

const toRequest = (request: FastifyRequest): EndpointRequest => ({
  method: request.method,
  url: request.url,
  getHeader: (name) => header(request, name),
  body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
  address: request.peer.address,
  isLocal: request.peer.isLocal,
  origin: getRequestOrigin(request.raw, request.peer),
  browser: (header(request, 'user-agent') ?? '').slice(0, 300),
});

const sent = (body: Exclude<NonNullable<EndpointResponse['body']>, Ranged>): string | Buffer | Readable => {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : Readable.from(body);
};

const answer = (request: FastifyRequest, reply: FastifyReply, given: EndpointResponse): FastifyReply => {
  const { status, headers = {}, body } = given;
  reply.code(status).header('cache-control', 'no-store').headers(headers);
  if (body === undefined) return reply.send('');
  if (typeof body === 'object' && isRangedContent(body)) return sendRanged(request, reply, body);
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  if (!isWhole) request.raw.socket.setTimeout(IDLE_TIMEOUT_MS);
  if (request.method !== 'HEAD') return reply.send(sent(body));
  // Nothing is sent but how long it would be.
  if (isWhole) reply.header('content-length', Buffer.byteLength(body));
  return reply.send();
};

/** Puts endpoints on the server. Their bodies are taken as bytes, whatever type they say they are of. */
export async function registerEndpoints(http: FastifyInstance, endpoints: readonly Endpoint[]): Promise<void> {
  for (const method of new Set(endpoints.flatMap(({ methods }) => methods)))
    if (!http.supportedMethods.includes(method)) http.addHttpMethod(method, { hasBody: true });
  await http.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const { methods, path, anyOrigin = false, bodyLimit = MAX_BODY_BYTES, run } of endpoints) {
      const config = { anyOrigin };
      scope.route({
        method: [...methods],
        url: path,
        config,
        bodyLimit,
        handler: async (request, reply) => answer(request, reply, await run(toRequest(request))),
      });
      if (anyOrigin)
        scope.options(path, { config }, async (_request, reply) =>
          reply
            .code(204)
            .headers({
              'access-control-allow-methods': methods.join(', '),
              'access-control-allow-headers': '*',
              'access-control-max-age': '86400',
            })
            .send(),
        );
    }
  });
}
