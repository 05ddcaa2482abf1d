import { request as httpRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { decodePercent } from '#platform/contract/text.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import { getErrorCode } from '../storage/errorCode.ts';
import {
  createAddressPolicy,
  resolveAllowedAddresses,
  createFixedLookup,
  getBareHostname,
  type ResolveName,
  resolveBySystem,
} from './addressPolicy.ts';
import { type Egress, type EgressResponse, EgressRefusal, type EgressRequest } from './egress.ts';
import { openJobProxy } from './jobProxy.ts';

/** Returns the first of several errors, if each address of a name failed. */
const getFirstError = (error: unknown): unknown =>
  error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;

const CERTIFICATE_ERROR_PATTERN = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|^ERR_SSL|EPROTO/;

/** Converts errors of network, TLS and HTTP parser to a refusal. @throws the error itself if it is another one. */
export function toEgressRefusal(error: unknown): EgressRefusal {
  if (error instanceof EgressRefusal) return error;
  const cause = getFirstError(error);
  const code = getErrorCode(cause);
  const createUnreachableRefusal = (sentence: string) => new EgressRefusal('unreached', sentence, { cause });
  if (code === 'ECONNREFUSED') return createUnreachableRefusal('No server responds at that address');
  if (/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/.test(code))
    return createUnreachableRefusal('That address cannot be reached');
  if (CERTIFICATE_ERROR_PATTERN.test(code))
    return createUnreachableRefusal('That server has no valid https certificate');
  if (code.startsWith('HPE_'))
    return new EgressRefusal('answer', 'That server did not send a valid web response', { cause });
  if (/^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ECONNABORTED)$/.test(code))
    return new EgressRefusal('answer', 'The connection to that site was lost', { cause });
  if (code !== '') return createUnreachableRefusal('That address could not be read');
  throw error;
}

const DECOMPRESSORS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
};
/** Encodings that `readResponseBody` can decompress. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

const formatLimit = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;

const createTooLargeRefusal = (maxBytes: number): EgressRefusal =>
  new EgressRefusal('answer', `The file at that address is larger than ${formatLimit(maxBytes)}`);

/** Creates a pass-through stream that fails above a size. */
const createSizeLimit = (maxBytes: number, onData?: () => void) =>
  async function* limitSize(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      onData?.();
      size += chunk.length;
      if (size > maxBytes) throw createTooLargeRefusal(maxBytes);
      yield chunk;
    }
  };

/** Creates the decompressor of a response; undefined if it is not compressed. @throws EgressRefusal */
function createDecompressor({ statusCode, headers }: IncomingMessage): Transform | undefined {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  // These statuses have no body, whatever the headers say.
  if (encoding === '' || encoding === 'identity' || statusCode === 204 || statusCode === 304) return undefined;
  const createTransform = Object.hasOwn(DECOMPRESSORS, encoding) ? DECOMPRESSORS[encoding] : undefined;
  if (createTransform) return createTransform();
  throw new EgressRefusal('answer', 'That server sent an unsupported compression format');
}

const isDecompressionError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ERR_BROTLI|ERR__ERROR_)/.test(String(error.code));

interface ReceiveOptions {
  readonly maxBytes: number;
  /** Called for each chunk. */
  readonly onData: () => void;
}

/**
 * Returns the decompressed body. The size of both forms is limited, so that no response can fill the memory.
 * @throws EgressRefusal
 */
export async function readResponseBody(
  response: IncomingMessage,
  { maxBytes, onData }: ReceiveOptions,
): Promise<Uint8Array> {
  const decompressor = createDecompressor(response);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw createTooLargeRefusal(maxBytes);
  const chunks: Buffer[] = [];
  async function collect(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) chunks.push(chunk);
  }
  try {
    if (decompressor)
      await pipeline(response, createSizeLimit(maxBytes, onData), decompressor, createSizeLimit(maxBytes), collect);
    else await pipeline(response, createSizeLimit(maxBytes, onData), collect);
  } catch (cause) {
    if (isDecompressionError(cause))
      throw new EgressRefusal('answer', 'That server sent corrupt compressed data', { cause });
    throw cause;
  }
  return Buffer.concat(chunks);
}

const DEFAULT_TIMEOUT_MS = 20_000;
const IDLE_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_URL_LENGTH = 8000;

export interface EgressOptions {
  /** Addresses, ranges, `private` and `loopback` that are allowed although they are not public. */
  readonly allow?: readonly string[] | undefined;
  readonly resolve?: ResolveName;
  readonly timers?: Timers;
}

function parseUrl(text: string, base?: URL): URL {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new EgressRefusal('address', 'This is not a web address. Enter one that begins with https:// or http://');
  return url;
}

/** Decodes a percent-encoded text. Returns an invalid one unchanged. */
const decodeIfEncoded = (text: string): string => decodePercent(text) ?? text;

/** Creates the header for a name and password in the address. */
function toBasicAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const nameAndPassword = `${decodeIfEncoded(username)}:${decodeIfEncoded(password)}`;
  return { authorization: `Basic ${Buffer.from(nameAndPassword, 'utf8').toString('base64')}` };
}

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

/** Returns the target of a redirect; undefined for other responses. */
const getRedirectTarget = ({ statusCode = 0, headers: { location } }: IncomingMessage): string | undefined =>
  REDIRECT_STATUSES.includes(statusCode) ? location : undefined;

/** Creates a deadline that aborts a request when it takes too long, or receives no data for too long. */
function createDeadline(timers: Timers, timeoutMs: number) {
  const controller = new AbortController();
  const abortWith = (sentence: string) => () => controller.abort(new EgressRefusal('unreached', sentence));
  const cancelTimeout = timers.schedule(timeoutMs, abortWith('That server took too long to respond'));
  const startIdleTimer = () => timers.schedule(IDLE_TIMEOUT_MS, abortWith('That server sent nothing for 10 seconds'));
  let cancelIdleTimer = startIdleTimer();
  return {
    signal: controller.signal,
    /** Restarts the idle timer. Call it when data arrives. */
    onData: (): void => {
      cancelIdleTimer();
      cancelIdleTimer = startIdleTimer();
    },
    end: (): void => {
      cancelTimeout();
      cancelIdleTimer();
      controller.abort();
    },
  };
}
type RequestDeadline = ReturnType<typeof createDeadline>;

/** Sends a request, and returns the response when its headers have arrived. */
const sendRequest = (url: URL, options: RequestOptions, body: Uint8Array | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request: ClientRequest = (url.protocol === 'https:' ? httpsRequest : httpRequest)(options);
    request.once('response', resolve);
    // Later errors are reported through the response, but without this listener they would end the process.
    request.on('error', reject);
    request.end(body);
  });

/** Returns the result of a promise. @throws the reason of the signal as soon as it is aborted. */
const waitUnlessAborted = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/** Credentials for one request in a chain of redirects, and the deadline of the whole chain. */
interface RequestHop {
  readonly credentials: Readonly<Record<string, string>>;
  readonly deadline: RequestDeadline;
}

/** Creates guarded egress, which resolves names, only connects to checked addresses, and follows redirects itself. */
export function createEgress({ allow = [], resolve = resolveBySystem, timers = realTimers }: EgressOptions): Egress {
  const policy = createAddressPolicy(allow);

  async function sendTo(
    url: URL,
    request: EgressRequest,
    { credentials, deadline }: RequestHop,
  ): Promise<IncomingMessage> {
    const addresses = await waitUnlessAborted(
      deadline.signal,
      resolveAllowedAddresses(url, { policy, resolve, allowsOnlyWebPorts: request.allowsOnlyWebPorts }),
    );
    const response = await sendRequest(
      url,
      {
        method: request.method ?? 'GET',
        hostname: getBareHostname(url),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: {
          'user-agent': 'Pegboard',
          'accept-encoding': ACCEPTED_ENCODINGS,
          ...request.headers,
          ...credentials,
        },
        lookup: createFixedLookup(addresses),
        agent: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        signal: deadline.signal,
      },
      request.body,
    );
    deadline.onData();
    return response;
  }

  async function fetchWithRedirects(
    start: URL,
    request: EgressRequest,
    deadline: RequestDeadline,
  ): Promise<EgressResponse> {
    const maxRedirects = request.method === 'POST' ? 0 : (request.maxRedirects ?? DEFAULT_MAX_REDIRECTS);
    let url = start;
    for (let redirectCount = 0; ; redirectCount += 1) {
      const credentials = url.origin === start.origin ? toBasicAuthorization(start) : {};
      const response = await sendTo(url, request, { credentials, deadline });
      const next = maxRedirects === 0 ? undefined : getRedirectTarget(response);
      if (next === undefined) {
        const body = await readResponseBody(response, { maxBytes: request.maxBytes, onData: deadline.onData });
        return { status: response.statusCode ?? 0, header: createHeaderGetter(response), body };
      }
      response.destroy();
      if (redirectCount >= maxRedirects) throw new EgressRefusal('answer', 'That address redirects too many times');
      url = parseUrl(next, url);
    }
  }

  return {
    fetch: async (address, request) => {
      const url = parseUrl(address);
      const deadline = createDeadline(timers, request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      try {
        return await fetchWithRedirects(url, request, deadline);
      } catch (error) {
        throw deadline.signal.aborted ? deadline.signal.reason : toEgressRefusal(error);
      } finally {
        deadline.end();
      }
    },
    openJobProxy: (limits) => openJobProxy({ policy, resolve, timers }, limits),
  };
}

const createHeaderGetter =
  ({ headers }: IncomingMessage): EgressResponse['header'] =>
  (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
