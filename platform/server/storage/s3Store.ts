import { setTimeout as delay } from 'node:timers/promises';
import { S3Client, S3Errors } from '@bradenmacdonald/s3-lite-client';
import type { ByteRange } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { getErrorCode } from './errorCode.ts';
import {
  assertObjectName,
  type ObjectInfo,
  ObjectNotFoundError,
  type ObjectStore,
  toWebStream,
} from './objectStore.ts';

/** Access to an S3-compatible server. */
export interface S3Access {
  /** Such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Objects whose names begin with a prefix. */
export interface S3Bucket extends S3Access {
  readonly bucket: string;
  /** May be empty. */
  readonly prefix: string;
  /** Time before the second attempt, which doubles each time. Tests shorten it. */
  readonly retryDelayMs?: number;
}

/** Each part is in memory while it is sent, and its checksum is part of the signed request. */
const PART_BYTES = 8 * 1024 * 1024;
/** A limit of the protocol. */
const MAX_PARTS = 10_000;
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 1000;
const HTTP_REQUEST_TIMEOUT = 408;
const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_SERVER_ERROR = 500;
const HTTP_NOT_FOUND = 404;
const HTTP_RANGE_NOT_SATISFIABLE = 416;

/** An object as a list of the bucket has it. */
export interface S3ObjectInfo extends ObjectInfo {
  /** Differs after the object was replaced. The MD5 of the content, unless it was sent in parts. */
  readonly etag: string;
}

/** An open object. */
export interface OpenedObject {
  /** Size of the whole object. */
  readonly bytes: number;
  /** The requested range. */
  readonly chunks: AsyncGenerator<Uint8Array>;
  readonly close: () => Promise<void>;
}

interface RequestedPart {
  readonly offset: number;
  /** The last byte; undefined for the end of the object. */
  readonly to: number | undefined;
  /** Version that the object must have. */
  readonly etag?: string | null;
}

/** Objects in a bucket. */
export interface S3Store extends ObjectStore {
  readonly list: (folder?: string) => AsyncIterable<S3ObjectInfo>;
  /** Undefined if there is none. */
  readonly find: (name: string) => Promise<Omit<S3ObjectInfo, 'name'> | undefined>;
  /** Opens a range. Undefined if there is no such object, or if it ends before the range. */
  readonly open: (name: string, range?: ByteRange) => Promise<OpenedObject | undefined>;
  readonly copy: (from: string, to: string) => Promise<void>;
}

const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof S3Errors.ServerError && statuses.includes(error.statusCode);

/** Returns the size of the object that a response is a part of, or all of. */
function getObjectBytes({ headers }: Response): number {
  return Number(headers.get('content-range')?.split('/')[1] ?? headers.get('content-length'));
}

/** Returns whether another attempt may succeed. Errors without a status are those of the connection. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof S3Errors.ServerError)) return error instanceof TypeError;
  const { statusCode } = error;
  return [HTTP_REQUEST_TIMEOUT, HTTP_TOO_MANY_REQUESTS].includes(statusCode) || statusCode >= HTTP_SERVER_ERROR;
}

/** Returns whether the client only misses the tag of an object in parts, which Ceph 16 leaves out of its answer. */
const isCompletedUpload = (error: unknown): boolean =>
  error instanceof Error && /^Unable to get ETag from response: [^]*<CompleteMultipartUploadResult/.test(error.message);

/** Converts errors of the server and the connection to sentences for the owner. */
function toRefusal(address: string, error: unknown): unknown {
  if (error instanceof S3Errors.ServerError)
    return new Refusal(
      'storage.rejected',
      `${address} was refused by its server: ${error.message} (${error.code}). Check the bucket and the settings that begin with S3_`,
      { cause: error },
    );
  if (error instanceof TypeError)
    return new Refusal(
      'storage.unreachable',
      `The server of ${address} can't be reached (${getErrorCode(error.cause) || error.message}). Check S3_ENDPOINT`,
      { cause: error },
    );
  return error;
}

/** Creates a store in a bucket. Requests are repeated when the connection or the server fails for a while. */
export function createS3Store(place: S3Bucket): S3Store {
  const { bucket, prefix, endpoint, region, accessKey, secretKey, retryDelayMs = RETRY_DELAY_MS } = place;
  const client = new S3Client({ endPoint: endpoint, region, bucket, accessKey, secretKey });
  const start = prefix === '' ? '' : `${prefix}/`;
  const address = `s3://${bucket}/${prefix}`;
  function getKey(name: string): string {
    assertObjectName(name);
    return start + name;
  }
  /** Waits before the next attempt. @throws the error if another attempt is of no use. */
  async function waitToRetry(error: unknown, attempt: number): Promise<void> {
    if (!isTransient(error) || attempt >= MAX_ATTEMPTS) throw toRefusal(address, error);
    await delay(retryDelayMs * 2 ** (attempt - 1));
  }
  async function withRetry<T>(send: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send();
      } catch (error) {
        await waitToRetry(error, attempt);
      }
    }
  }
  /** Returns undefined if there is no such object or range. @throws if there is no such bucket */
  const orAbsent = <T>(send: () => Promise<T>): Promise<T | undefined> =>
    withRetry(async () => {
      try {
        return await send();
      } catch (error) {
        if (!hasStatus(error, HTTP_NOT_FOUND, HTTP_RANGE_NOT_SATISFIABLE)) throw error;
        // The answer to HEAD does not say which of the two is missing.
        await client.listObjects({ prefix: `${start}no-such-folder/` }).next();
        return undefined;
      }
    });
  const request = (name: string, { offset, to, etag }: RequestedPart): Promise<Response> =>
    client.getPartialObject(getKey(name), {
      offset,
      length: to === undefined ? 0 : to - offset + 1,
      // The client sends these as headers.
      ...(typeof etag === 'string' ? { metadata: { 'If-Match': etag } as Record<string, string> } : {}),
    });
  /** Reads a response, and continues with another one where the connection broke. */
  async function* readResponse(name: string, first: Response, { from, to }: ByteRange): AsyncGenerator<Uint8Array> {
    const etag = first.headers.get('etag');
    let offset = from;
    let response: Response | undefined = first;
    for (let attempt = 1; offset <= to; attempt += 1) {
      try {
        response ??= await request(name, { offset, to, etag });
        for await (const chunk of response.body ?? []) {
          offset += chunk.length;
          attempt = 1;
          yield chunk;
        }
        return;
      } catch (error) {
        response = undefined;
        await waitToRetry(error, attempt);
      }
    }
  }
  async function open(name: string, range?: ByteRange): Promise<OpenedObject | undefined> {
    const response = await orAbsent(() => request(name, { offset: range?.from ?? 0, to: range?.to }));
    if (!response) return undefined;
    const bytes = getObjectBytes(response);
    const chunks = readResponse(name, response, range ?? { from: 0, to: bytes - 1 });
    return {
      bytes,
      chunks,
      close: async () => {
        await chunks.return(undefined);
        // Needed if nothing was read. A stream that was read is closed or failed already.
        await response.body?.cancel().catch(() => undefined);
      },
    };
  }

  return {
    address,
    put: async (name, { open: openSource, bytes }) => {
      const partSize = Math.max(PART_BYTES, Math.ceil(bytes / MAX_PARTS));
      await withRetry(async () => {
        try {
          await client.putObject(getKey(name), toWebStream(await openSource()), { partSize });
        } catch (error) {
          if (!isCompletedUpload(error)) throw error;
        }
      });
    },
    open,
    get: async function* get(name) {
      const object = await open(name);
      if (!object) throw new ObjectNotFoundError(`${address} has no ${name}`);
      yield* object.chunks;
    },
    find: (name) =>
      orAbsent(async () => {
        const { size, etag } = await client.statObject(getKey(name));
        return { bytes: size, etag };
      }),
    list: async function* list(folder) {
      const listPrefix = folder === undefined ? start : `${getKey(folder)}/`;
      // Starts again if a page fails, so the objects are collected first.
      yield* await withRetry(async () => {
        const objects: S3ObjectInfo[] = [];
        for await (const { key, size, etag } of client.listObjects({ prefix: listPrefix }))
          objects.push({ name: key.slice(start.length), bytes: size, etag });
        return objects;
      });
    },
    copy: async (from, to) => {
      await withRetry(() => client.copyObject({ sourceKey: getKey(from) }, getKey(to)));
    },
    remove: async (name) => withRetry(() => client.deleteObject(getKey(name))),
  };
}
