import S3rver from 's3rver';
import type { S3Access } from '#platform/server/storage/s3Store.ts';

/** Name of the empty bucket. */
export const TEST_BUCKET = 'pegboard-test';

/** A server of the S3 protocol with a bucket. */
export interface S3Server extends AsyncDisposable {
  readonly access: S3Access;
}

/** Starts a server of the S3 protocol that stores its objects in a folder. */
export async function startS3Server(directory: string): Promise<S3Server> {
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
