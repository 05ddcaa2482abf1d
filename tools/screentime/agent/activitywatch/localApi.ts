import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from '#platform/contract/refusal.ts';
import { decodePercent } from '#platform/contract/text.ts';

const ADDRESS = '127.0.0.1';
/** Of a body, in bytes. */
export const BODY_LIMIT = 256 * 1024;
const CONNECTIONS_LIMIT = 64;
const REQUEST_TIMEOUT_MS = 10_000;

export interface ApiRequest {
  readonly method: string;
  /** Parts of the path behind `/api/0/`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The body, read as JSON; undefined where there is none. */
  readonly body: unknown;
}
/** `body` undefined: there is nothing to say. */
export interface ApiResponse {
  readonly status: number;
  readonly body?: unknown;
}

export interface DoorOptions {
  readonly port: number;
  /** Browser extensions that may come in. Pages never may. */
  readonly origins: readonly string[];
  readonly answer: (asked: ApiRequest) => ApiResponse;
}
export interface Door extends AsyncDisposable {
  readonly port: number;
}

/** Something about a request is not as it must be. */
class Wrong extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A page that has turned its own name to this address names itself here. */
const checkHost = ({ headers }: IncomingMessage, port: number): void => {
  const host = headers.host?.toLowerCase();
  if (host !== `${ADDRESS}:${port}` && host !== `localhost:${port}`)
    throw new Wrong(403, 'This is no host of that name');
};

/** What a browser may ask for without saying who asks, as extensions do: whether anybody is there. */
const INFO = '/api/0/info';

/** Headers for the extension that asks; none for programs. @throws for every page, and for extensions that were not let in. */
const headersFor = (
  { headers, url }: IncomingMessage,
  origins: readonly string[],
): Readonly<Record<string, string>> => {
  const { origin } = headers;
  const isProgram = headers['sec-fetch-site'] === undefined;
  if (origin === undefined && (isProgram || url === INFO)) return {};
  if (origin === undefined || !origins.includes(origin))
    throw new Wrong(403, 'Let this browser extension in: agent activitywatch on --origin …');
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': 'content-type',
    'access-control-allow-private-network': 'true',
    vary: 'origin',
  };
};

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw new Wrong(413, 'That is too long');
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Wrong(400, 'That is no JSON');
  }
};

const PREFIX = /^\/api\/0\//;

const partsOf = (pathname: string): readonly string[] => {
  const parts = pathname
    .replace(PREFIX, '')
    .split('/')
    .filter((part) => part !== '');
  return parts.map((part) => {
    const decoded = decodePercent(part);
    if (decoded === undefined) throw new Wrong(404, 'There is nothing here');
    return decoded;
  });
};

const readAsked = async (request: IncomingMessage): Promise<ApiRequest> => {
  const { method = '', url = '' } = request;
  const base = `http://${ADDRESS}`;
  if (!PREFIX.test(url) || !URL.canParse(url, base)) throw new Wrong(404, 'There is nothing here');
  const { pathname, searchParams } = new URL(url, base);
  return { method, path: partsOf(pathname), query: searchParams, body: await readBody(request) };
};

const answerTo = (error: unknown): ApiResponse => {
  if (error instanceof Wrong) return { status: error.status, body: { message: error.message } };
  if (error instanceof Refusal) return { status: 400, body: { message: error.message } };
  return { status: 500, body: { message: 'The agent failed' } };
};

const send = (
  response: ServerResponse,
  { status, body }: ApiResponse,
  headers: Readonly<Record<string, string>>,
): void => {
  const text = body === undefined ? '' : JSON.stringify(body);
  // Whoever sent too much goes on sending; a new request could not be told from the rest of it.
  const close: Readonly<Record<string, string>> = status === 413 ? { connection: 'close' } : {};
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers, ...close });
  response.end(text);
};

/** Answers programs of this computer by HTTP, and no page of any browser. @throws where the port is taken. */
export async function openDoor({ port: wanted, origins, answer }: DoorOptions): Promise<Door> {
  let port = wanted;
  // An import of it by its name would load 15 MB more, with this door shut too (platform/agent/leanFetch.ts).
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS,
    },
    (request, response) => {
      let headers: Readonly<Record<string, string>> = {};
      const serve = async (): Promise<ApiResponse> => {
        checkHost(request, port);
        headers = headersFor(request, origins);
        return request.method === 'OPTIONS' ? { status: 204 } : answer(await readAsked(request));
      };
      serve()
        .catch(answerTo)
        .then((answered) => send(response, answered, headers))
        .catch(() => response.destroy()); // whoever asked went away
    },
  );
  server.maxConnections = CONNECTIONS_LIMIT;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, ADDRESS, resolve);
  });
  ({ port } = server.address() as AddressInfo);
  return {
    port,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
