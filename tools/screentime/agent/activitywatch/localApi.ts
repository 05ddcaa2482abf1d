import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from '#platform/contract/refusal.ts';
import { decodePercent } from '#platform/contract/text.ts';

const ADDRESS = '127.0.0.1';
/** Max bytes of a body. */
export const MAX_BODY_BYTES = 256 * 1024;
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 10_000;

export interface ApiRequest {
  readonly method: string;
  /** Parts of the path after `/api/0/`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Body parsed as JSON; undefined if there is none. */
  readonly body: unknown;
}
/** A response; `body` undefined means an empty one. */
export interface ApiResponse {
  readonly status: number;
  readonly body?: unknown;
}

export interface LocalApiOptions {
  readonly port: number;
  /** Origins of allowed browser extensions. Web pages are never allowed. */
  readonly origins: readonly string[];
  readonly handleRequest: (request: ApiRequest) => ApiResponse;
}
export interface LocalApiServer extends AsyncDisposable {
  readonly port: number;
}

/** Thrown for an invalid request. */
class InvalidRequestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Rejects other hosts: a page can point its own domain at this address (DNS rebinding). */
function validateHost({ headers }: IncomingMessage, port: number): void {
  const host = headers.host?.toLowerCase();
  if (host !== `${ADDRESS}:${port}` && host !== `localhost:${port}`)
    throw new InvalidRequestError(403, 'This host name is not allowed');
}

/** Endpoint that browsers can read without an origin, as extensions do to detect the server. */
const INFO_PATH = '/api/0/info';

/**
 * Returns the CORS headers of an extension; none for programs.
 * @throws for web pages and for extensions that are not allowed.
 */
function getCorsHeaders(
  { headers, url }: IncomingMessage,
  origins: readonly string[],
): Readonly<Record<string, string>> {
  const { origin } = headers;
  const isProgram = headers['sec-fetch-site'] === undefined;
  if (origin === undefined && (isProgram || url === INFO_PATH)) return {};
  if (origin === undefined || !origins.includes(origin))
    throw new InvalidRequestError(
      403,
      'This browser extension is not allowed. Run the agent with "activitywatch on --origin …"',
    );
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': 'content-type',
    'access-control-allow-private-network': 'true',
    vary: 'origin',
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new InvalidRequestError(413, 'The request is too large');
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new InvalidRequestError(400, 'The request is not JSON');
  }
}

const API_PREFIX_PATTERN = /^\/api\/0\//;

function splitPath(pathname: string): readonly string[] {
  const parts = pathname
    .replace(API_PREFIX_PATTERN, '')
    .split('/')
    .filter((part) => part !== '');
  return parts.map((part) => {
    const decoded = decodePercent(part);
    if (decoded === undefined) throw new InvalidRequestError(404, 'Not found');
    return decoded;
  });
}

async function parseRequest(request: IncomingMessage): Promise<ApiRequest> {
  const { method = '', url = '' } = request;
  const base = `http://${ADDRESS}`;
  if (!API_PREFIX_PATTERN.test(url) || !URL.canParse(url, base)) throw new InvalidRequestError(404, 'Not found');
  const { pathname, searchParams } = new URL(url, base);
  return { method, path: splitPath(pathname), query: searchParams, body: await readBody(request) };
}

function toErrorResponse(error: unknown): ApiResponse {
  if (error instanceof InvalidRequestError) return { status: error.status, body: { message: error.message } };
  if (error instanceof Refusal) return { status: 400, body: { message: error.message } };
  return { status: 500, body: { message: 'The agent failed. See its terminal for the reason' } };
}

function send(
  response: ServerResponse,
  { status, body }: ApiResponse,
  headers: Readonly<Record<string, string>>,
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  // The client keeps sending the rejected body, which could not be told from a new request.
  const closeHeader: Readonly<Record<string, string>> = status === 413 ? { connection: 'close' } : {};
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...headers,
    ...closeHeader,
  });
  response.end(text);
}

/**
 * Opens the local HTTP API for programs and allowed extensions.
 * @throws if the port is in use.
 */
export async function openLocalApi(options: LocalApiOptions): Promise<LocalApiServer> {
  const { port: requestedPort, origins, handleRequest } = options;
  let port = requestedPort;
  // A static import would load 15 MB, also while the API is off (platform/agent/lightFetch.ts).
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS,
    },
    (request, response) => {
      let headers: Readonly<Record<string, string>> = {};
      async function respond(): Promise<ApiResponse> {
        validateHost(request, port);
        headers = getCorsHeaders(request, origins);
        return request.method === 'OPTIONS' ? { status: 204 } : handleRequest(await parseRequest(request));
      }
      respond()
        .catch(toErrorResponse)
        .then((result) => send(response, result, headers))
        .catch(() => response.destroy()); // the client closed the connection
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(requestedPort, ADDRESS, resolve);
  });
  ({ port } = server.address() as AddressInfo);
  return {
    port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
