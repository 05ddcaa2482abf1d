import { request as overHttp, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { decodePercent } from '#platform/contract/text.ts';
import { realTimers, type Timers } from '../schedule/timers.ts';
import {
  createAddressPolicy,
  resolveAllowedAddresses,
  createFixedLookup,
  type ResolveName,
  resolveBySystem,
} from './addressPolicy.ts';
import { type Egress, type EgressResponse, EgressRefusal, type EgressRequest } from './egress.ts';
import { openProxy } from './jobProxy.ts';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Several addresses of one name were tried, and each failed: the first says why. */
const firstOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|^ERR_SSL|EPROTO/;

/** What the network, https and the parser of answers say, as a sentence. @throws the error itself where it is none of theirs */
export function toEgressRefusal(error: unknown): EgressRefusal {
  if (error instanceof EgressRefusal) return error;
  const cause = firstOf(error);
  const code = codeOf(cause);
  const unreached = (sentence: string) => new EgressRefusal('unreached', sentence, { cause });
  if (code === 'ECONNREFUSED') return unreached('Nothing answers under that address');
  if (/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/.test(code))
    return unreached('That address cannot be reached');
  if (CERTIFICATE.test(code)) return unreached("The certificate of that address cannot be trusted, or it isn't https");
  if (code.startsWith('HPE_'))
    return new EgressRefusal('answer', 'What came from there is no answer of the web', { cause });
  if (/^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ECONNABORTED)$/.test(code))
    return new EgressRefusal('answer', 'The server there broke off', { cause });
  if (code !== '') return unreached('That address could not be read');
  throw error;
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
};
/** What `receive` can unpack. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

const sizeWords = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;

const tooLarge = (limit: number): EgressRefusal =>
  new EgressRefusal('answer', `What came from there is larger than ${sizeWords(limit)}`);

/** Hands on what it gets, up to so many bytes. */
const createSizeLimit = (limit: number, heard?: () => void) =>
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      heard?.();
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      yield chunk;
    }
  };

/** What packs an answer; undefined where nothing does. @throws EgressRefusal */
const unpackerOf = ({ statusCode, headers }: IncomingMessage): Transform | undefined => {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  // These have no body, whatever their headers say of it.
  if (coding === '' || coding === 'identity' || statusCode === 204 || statusCode === 304) return undefined;
  const make = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined;
  if (make) return make();
  throw new EgressRefusal('answer', 'What came from there is packed in a way that this server does not know');
};

const isOfPacking = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ERR_BROTLI|ERR__ERROR_)/.test(String(error.code));

interface ReceiveOptions {
  readonly limit: number;
  /** Called with every piece that comes. */
  readonly heard: () => void;
}

/** Reads the body of an answer and unpacks it, counted while it comes: neither a large one nor a small one that unpacks to gigabytes fills the memory. @throws EgressRefusal */
export async function readResponseBody(
  response: IncomingMessage,
  { limit, heard }: ReceiveOptions,
): Promise<Uint8Array> {
  const unpacker = unpackerOf(response);
  if (Number(response.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) chunks.push(chunk);
  };
  try {
    if (unpacker) await pipeline(response, createSizeLimit(limit, heard), unpacker, createSizeLimit(limit), collect);
    else await pipeline(response, createSizeLimit(limit, heard), collect);
  } catch (cause) {
    if (isOfPacking(cause)) throw new EgressRefusal('answer', 'What came from there is packed wrongly', { cause });
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
  /** Addresses, ranges, `private` and `loopback` that may be dialled though they are not public. */
  readonly allow?: readonly string[] | undefined;
  readonly resolve?: ResolveName;
  readonly timers?: Timers;
}

const parse = (text: string, base?: URL): URL => {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new EgressRefusal('address', 'This is no address of the web: those begin with https:// or http://');
  return url;
};

/** A percent sign may stand for itself. */
const decoded = (text: string): string => decodePercent(text) ?? text;

/** The header that a name and a password in the address stand for. */
const basic = ({ username, password }: URL): Readonly<Record<string, string>> => {
  if (username === '' && password === '') return {};
  const both = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(both, 'utf8').toString('base64')}` };
};

const REDIRECTS = [301, 302, 303, 307, 308];

/** Where an answer leads to; undefined where it is one itself. */
const nextOf = ({ statusCode = 0, headers: { location } }: IncomingMessage): string | undefined =>
  REDIRECTS.includes(statusCode) ? location : undefined;

/** Breaks off a request that takes too long, or is silent for too long. */
const createDeadline = (timers: Timers, wholeMs: number) => {
  const abort = new AbortController();
  const late = (sentence: string) => () => abort.abort(new EgressRefusal('unreached', sentence));
  const endWhole = timers.schedule(wholeMs, late('The server there took too long to answer'));
  const hush = () => timers.schedule(IDLE_TIMEOUT_MS, late('The server there sent nothing for 10 seconds'));
  let endSilence = hush();
  return {
    signal: abort.signal,
    /** Something came. */
    heard: (): void => {
      endSilence();
      endSilence = hush();
    },
    end: (): void => {
      endWhole();
      endSilence();
      abort.abort();
    },
  };
};
type RequestDeadline = ReturnType<typeof createDeadline>;

/** Sends one request and waits for the head of its answer. */
const send = (url: URL, options: RequestOptions, body: Uint8Array | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request: ClientRequest = (url.protocol === 'https:' ? overHttps : overHttp)(options);
    request.once('response', resolve);
    // Stays for good: what breaks later is told by the answer, and must not end the process.
    request.on('error', reject);
    request.end(body);
  });

/** @throws what the signal was aborted with, as soon as it is. */
const unlessAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/** The guarded fetch: looks names up itself, dials nothing but the addresses it has checked, and follows redirects by itself. */
export function createEgress({ allow = [], resolve = resolveBySystem, timers = realTimers }: EgressOptions): Egress {
  const targets = createAddressPolicy(allow);

  const ask = async (url: URL, request: EgressRequest, { credentials, time }: RequestHop): Promise<IncomingMessage> => {
    const addresses = await unlessAborted(
      time.signal,
      resolveAllowedAddresses(url, { targets, resolve, isOfWeb: request.isOfWeb }),
    );
    const response = await send(
      url,
      {
        method: request.method ?? 'GET',
        hostname: url.hostname.replaceAll(/^\[|\]$/g, ''),
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
        signal: time.signal,
      },
      request.body,
    );
    time.heard();
    return response;
  };

  const follow = async (start: URL, request: EgressRequest, time: RequestDeadline): Promise<EgressResponse> => {
    const most = request.method === 'POST' ? 0 : (request.redirects ?? DEFAULT_MAX_REDIRECTS);
    let url = start;
    for (let hops = 0; ; hops += 1) {
      const credentials = url.origin === start.origin ? basic(start) : {};
      const response = await ask(url, request, { credentials, time });
      const next = most === 0 ? undefined : nextOf(response);
      if (next === undefined) {
        const body = await readResponseBody(response, { limit: request.maxBytes, heard: time.heard });
        return { status: response.statusCode ?? 0, header: headerOf(response), body };
      }
      response.destroy();
      if (hops >= most) throw new EgressRefusal('answer', 'That address leads on and on to other ones');
      url = parse(next, url);
    }
  };

  return {
    fetch: async (address, request) => {
      const url = parse(address);
      const time = createDeadline(timers, request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      try {
        return await follow(url, request, time);
      } catch (error) {
        throw time.signal.aborted ? time.signal.reason : toEgressRefusal(error);
      } finally {
        time.end();
      }
    },
    openProxy: (limits) => openProxy({ targets, resolve, timers }, limits),
  };
}

interface RequestHop {
  readonly credentials: Readonly<Record<string, string>>;
  readonly time: RequestDeadline;
}

const headerOf =
  ({ headers }: IncomingMessage): EgressResponse['header'] =>
  (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
