import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RangedFile } from '#platform/contract/call.ts';
import { SuspendedRefusal } from '../identity/accountStore.ts';
import { withDeferrableWrites } from '../storage/diskFullError.ts';
import { getRequestOrigin } from './address.ts';
import { isRangedContent, sendRanged, IDLE_TIMEOUT_MS } from './fileResponse.ts';
import { truncateUserAgent } from './headers.ts';
import { MAX_BODY_BYTES } from './requestBody.ts';

export interface EndpointRequest {
  readonly method: string;
  /** Path and query without the base path, still percent-encoded. */
  readonly url: string;
  /** Returns the value of a header. The name must be in lower case. */
  readonly getHeader: (name: string) => string | undefined;
  /** The body; empty if there is none. */
  readonly body: Uint8Array;
  /** The client's address, from the socket or from a trusted proxy. */
  readonly address: string;
  readonly isLocal: boolean;
  /** Origin under which the client reached this server, such as `http://pegboard.local:8300`. */
  readonly origin: string;
  /** The `User-Agent` header, at most 300 characters. */
  readonly browser: string;
}

export interface EndpointResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Chunks are sent as fast as the client reads them; if one throws, the connection is cut.
   * Ranged content needs status 200, and is answered with the requested range.
   */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array> | RangedFile;
}

/** Describes a route that answers a file, for the OpenAPI document. */
export interface FileRoute {
  /** Path of the route, such as `/api/cwservet/:file`. */
  readonly path: `/api/${string}`;
  /** Description in one sentence. */
  readonly summary: string;
  readonly types: readonly string[];
}

/** Lists the endpoints that the OpenAPI document describes. */
export function listFileRoutes(endpoints: readonly Endpoint[]): readonly FileRoute[] {
  return endpoints.flatMap(({ path, about }) => (about ? [{ path: path as FileRoute['path'], ...about }] : []));
}

/** Creates a response with the same shape as refusals of calls. */
export function createErrorResponse(status: number, message: string): EndpointResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ message }),
  };
}

/**
 * An address outside the API with its own protocol and credentials, such as CalDAV. Cookies and session tokens are
 * ignored. Host, Origin (except with `anyOrigin`) and the rate of the address are checked as for calls.
 */
export interface Endpoint {
  readonly methods: readonly string[];
  /** Path of the route, such as `/dav/*` or `/feed/:file`. */
  readonly path: `/${string}`;
  /** Lets pages of other sites call it and read the response, for web-based clients. */
  readonly anyOrigin?: boolean;
  /** Maximum size of a body in bytes. Default: 64 KiB. */
  readonly bodyLimit?: number;
  /** Describes an endpoint below `/api/` in the OpenAPI document. */
  readonly about?: Omit<FileRoute, 'path'>;
  readonly run: (request: EndpointRequest) => Promise<EndpointResponse>;
}

function getHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const toEndpointRequest = (request: FastifyRequest): EndpointRequest => ({
  method: request.method,
  url: request.url,
  getHeader: (name) => getHeader(request, name),
  body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
  address: request.peer.address,
  isLocal: request.peer.isLocal,
  origin: getRequestOrigin(request.raw, request.peer),
  browser: truncateUserAgent(getHeader(request, 'user-agent')),
});

function toPayload(body: Exclude<NonNullable<EndpointResponse['body']>, RangedFile>): string | Buffer | Readable {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : Readable.from(body);
}

function sendResponse(request: FastifyRequest, reply: FastifyReply, response: EndpointResponse): FastifyReply {
  const { status, headers = {}, body } = response;
  reply.code(status).header('cache-control', 'no-store').headers(headers);
  if (body === undefined) return reply.send('');
  if (typeof body === 'object' && isRangedContent(body)) return sendRanged(request, reply, body);
  const isComplete = typeof body === 'string' || body instanceof Uint8Array;
  if (!isComplete) request.raw.socket.setTimeout(IDLE_TIMEOUT_MS);
  if (request.method !== 'HEAD') return reply.send(toPayload(body));
  // A HEAD response only has the length.
  if (isComplete) reply.header('content-length', Buffer.byteLength(body));
  return reply.send();
}

/** Responds to a right credential of a suspended account. @throws other errors */
function toSuspendedResponse(error: unknown): EndpointResponse {
  if (error instanceof SuspendedRefusal) return createErrorResponse(403, error.message);
  throw error;
}

/** Registers endpoints. Their bodies are read as bytes, whatever content type they declare. */
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
        handler: async (request, reply) => {
          const handleRequest = () => run(toEndpointRequest(request)).catch(toSuspendedResponse);
          const isDeletion = request.method === 'DELETE';
          return sendResponse(
            request,
            reply,
            await (isDeletion ? handleRequest() : withDeferrableWrites(handleRequest)),
          );
        },
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
