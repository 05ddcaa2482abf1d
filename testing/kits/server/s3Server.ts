import S3rver from 's3rver';
import { createTempFolder } from './tempFolder.ts';
import { onTestFinished } from 'vitest';
import type { S3Access } from '#platform/server/storage/s3Store.ts';

/** Name of the empty bucket. */
export const TEST_BUCKET = 'pegboard-test';

/** Starts a server of the S3 protocol with an empty bucket. It stops when the current test ends. */
export async function startS3Server(): Promise<S3Access> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await createTempFolder(),
    configureBuckets: [{ name: TEST_BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  onTestFinished(() => server.close());
  return { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', accessKey: 'S3RVER', secretKey: 'S3RVER' };
}
