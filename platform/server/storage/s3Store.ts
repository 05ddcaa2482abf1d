import { setTimeout as delay } from 'node:timers/promises';
import { S3Client, S3Errors } from '@bradenmacdonald/s3-lite-client';
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

/** Returns whether another attempt may succeed. Errors without a status are those of the connection. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof S3Errors.ServerError)) return error instanceof TypeError;
  const { statusCode } = error;
  return [HTTP_REQUEST_TIMEOUT, HTTP_TOO_MANY_REQUESTS].includes(statusCode) || statusCode >= HTTP_SERVER_ERROR;
}

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

/**
 * Creates a store in a bucket. Requests are repeated when the connection or the server fails for a while.
 * @param options.retryDelayMs Time before the second attempt, which doubles each time.
 */
export function createS3Store(
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  { endpoint, region, accessKey, secretKey }: S3Access,
  { retryDelayMs = RETRY_DELAY_MS }: { readonly retryDelayMs?: number } = {},
): ObjectStore {
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
  async function withRetry<T>(request: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await request();
      } catch (error) {
        await waitToRetry(error, attempt);
      }
    }
  }

  return {
    address,
    put: async (name, { open, bytes }) => {
      const partSize = Math.max(PART_BYTES, Math.ceil(bytes / MAX_PARTS));
      await withRetry(async () => client.putObject(getKey(name), toWebStream(await open()), { partSize }));
    },
    get: async function* get(name) {
      let offset = 0;
      for (let attempt = 1; ; attempt += 1) {
        try {
          const response = await client.getPartialObject(getKey(name), { offset, length: 0 });
          for await (const chunk of response.body ?? []) {
            offset += chunk.length;
            attempt = 1;
            yield chunk;
          }
          return;
        } catch (error) {
          if (error instanceof S3Errors.ServerError && error.statusCode === HTTP_NOT_FOUND)
            throw new ObjectNotFoundError(`${address} has no ${name}`, { cause: error });
          await waitToRetry(error, attempt);
        }
      }
    },
    list: async function* list() {
      // Starts again if a page fails, so the objects are collected first.
      yield* await withRetry(async () => {
        const objects: ObjectInfo[] = [];
        for await (const { key, size } of client.listObjects({ prefix: start }))
          objects.push({ name: key.slice(start.length), bytes: size });
        return objects;
      });
    },
    remove: async (name) => withRetry(() => client.deleteObject(getKey(name))),
  };
}
