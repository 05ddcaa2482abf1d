import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DATABASE_DOWN_STATUS, DISK_FULL_STATUS } from '#platform/contract/client.ts';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { databaseDownAnswer, isDatabaseDownError } from '../storage/databaseDownError.ts';
import { diskFullAnswer, isDiskFullError } from '../storage/diskFullError.ts';
import { FileStoreError, fileStoreAnswer } from '../storage/fileStore.ts';
import { isApiPath } from './guard.ts';
import { commonHeaders } from './headers.ts';
import { RateLimitError } from './rateLimiter.ts';
import { BadRequestError } from './requestBody.ts';

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body: is larger than this call accepts',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content-type: must be application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'body: does not match the content-length',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'body: is empty',
};

/** Returns our own message for an error of the framework, whose messages may quote the request. */
const getErrorMessage = (error: FastifyError, status: number): string =>
  error instanceof BadRequestError
    ? error.message
    : (ERROR_MESSAGES[error.code] ?? `The server could not read the request (${status})`);

/** When a full disk was last logged. Under load, each request would log the same. */
let diskFullLoggedAt = -Infinity;

function logDiskFull(error: FastifyError, { log, id, routeOptions }: FastifyRequest): void {
  if (performance.now() - diskFullLoggedAt < MINUTE_MS) return;
  diskFullLoggedAt = performance.now();
  log.warn({ err: error, id, route: routeOptions.url ?? 'none' }, 'http.request.disk_full');
}

function sendError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-store');
  if (error instanceof RateLimitError)
    return reply.code(429).header('retry-after', error.retryAfterSeconds).send({ message: error.message });
  if (isDiskFullError(error)) {
    logDiskFull(error, request);
    return reply.code(DISK_FULL_STATUS).send(diskFullAnswer);
  }
  // The store has logged it.
  if (error instanceof FileStoreError) return reply.code(503).send(fileStoreAnswer);
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return reply.code(status).send({ message: getErrorMessage(error, status) });
  request.log.error({ err: error, id: request.id, route: request.routeOptions.url ?? 'none' }, 'http.request.failed');
  if (isDatabaseDownError(error))
    return reply.code(DATABASE_DOWN_STATUS).send({ ...databaseDownAnswer, id: request.id });
  return reply.code(500).send({ message: 'server error', id: request.id });
}

const getPath = (url: string): string => url.split('?', 1)[0] ?? url;

/** Registers the responses for everything that fails, as docs/specification/platform.md section 1.2 lists them. */
export function registerErrorHandler(http: FastifyInstance): void {
  const methods = new Map<string, Set<string>>();
  http.addHook('onRoute', ({ url, method }) => {
    const routeMethods = methods.get(url) ?? new Set();
    for (const routeMethod of [method].flat()) routeMethods.add(routeMethod);
    methods.set(url, routeMethods);
  });
  http.setErrorHandler(sendError);
  http.setNotFoundHandler(async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const path = getPath(request.url);
    // Addresses outside the API may be pages, which are read-only.
    const isPage = !isApiPath(path) && ['POST', 'PUT', 'PATCH', 'DELETE'].includes(request.method);
    const allowed = isPage ? new Set(['GET', 'HEAD', ...(methods.get(path) ?? [])]) : methods.get(path);
    if (allowed)
      return reply
        .code(405)
        .header('allow', [...allowed].join(', '))
        .send({ message: `method: must be ${[...allowed].join(' or ')}` });
    return reply.code(404).send({ message: isApiPath(path) ? 'There is no such call' : 'Not found' });
  });
}

const RAW_RESPONSES: Readonly<Record<string, readonly [status: number, line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers: are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long'],
};
const NOT_HTTP_RESPONSE = [400, 'Bad Request', 'The server could not read the request'] as const;

const buildRawHeaders = (body: string): Readonly<Record<string, string>> => ({
  ...commonHeaders,
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'content-length': String(Buffer.byteLength(body)),
  connection: 'close',
});

/** Responds to an address that cannot be decoded. It matches no route, so no hook runs for it. */
export function sendBadAddressError(response: ServerResponse): void {
  const body = JSON.stringify({ message: 'address: is not valid' });
  response.writeHead(400, buildRawHeaders(body)).end(body);
}

/** Responds to an incomplete request (slow, too large or with broken headers), and closes the connection. */
export function sendBrokenRequestError(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, line, message] = RAW_RESPONSES[error.code ?? ''] ?? NOT_HTTP_RESPONSE;
  const body = JSON.stringify({ message });
  const headers = Object.entries(buildRawHeaders(body));
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${line}\r\n${head}\r\n${body}`);
}
