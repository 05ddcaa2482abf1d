import { S3Client, S3Errors } from '@bradenmacdonald/s3-lite-client';
import S3rver from 's3rver';
import type { S3Access } from '#platform/server/storage/s3Store.ts';

/** Name of the empty bucket. */
export const TEST_BUCKET = 'pegboard-test';

/** A server of the S3 protocol with a bucket. */
export interface S3Server extends AsyncDisposable {
  readonly access: S3Access;
}

/**
 * Creates an empty bucket on the server that the environment names, for runs by hand against other servers. Only one
 * test can use it at the same time.
 */
async function useOtherServer(endpoint: string): Promise<S3Server> {
  const { TEST_S3_ACCESS_KEY: accessKey = '', TEST_S3_SECRET_KEY: secretKey = '' } = process.env;
  const access = { endpoint, region: 'us-east-1', accessKey, secretKey };
  const client = new S3Client({ ...access, endPoint: endpoint, bucket: TEST_BUCKET });
  try {
    await client.makeBucket(TEST_BUCKET);
  } catch (error) {
    if (!(error instanceof S3Errors.ServerError && error.code.startsWith('BucketAlready'))) throw error;
  }
  for await (const { key } of client.listObjects()) await client.deleteObject(key);
  return { access, [Symbol.asyncDispose]: async () => undefined };
}

/** Starts a server of the S3 protocol that stores its objects in a folder. */
export async function startS3Server(directory: string): Promise<S3Server> {
  const { TEST_S3_ENDPOINT: other } = process.env;
  if (other !== undefined) return useOtherServer(other);
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: TEST_BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  return {
    access: { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', accessKey: 'S3RVER', secretKey: 'S3RVER' },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
