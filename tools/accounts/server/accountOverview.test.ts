import { expect, test } from 'vitest';
import { type Circumstances, warningsOf } from './accountOverview.ts';

const MIB = 1024 * 1024;
const calm: Circumstances = {
  untrustedProxies: [],
  publicOrigins: [],
  trustProxy: [],
  rateLimits: true,
  freeBytes: 9000 * MIB,
  mayKeepFiles: true,
  mayDownload: true,
};

test('a server in order warns of nothing, behind a trusted proxy too', () => {
  expect(warningsOf(calm)).toEqual([]);
  expect(warningsOf({ ...calm, publicOrigins: ['https://a.example'], trustProxy: ['loopback'] })).toEqual([]);
});

test.each<[Partial<Circumstances>, string]>([
  [{ freeBytes: 499.9 * MIB, mayKeepFiles: false, mayDownload: false }, 'Only 499 MiB of disk are free: no files'],
  [{ freeBytes: 1500 * MIB, mayDownload: false }, 'Only 1500 MiB of disk are free: nothing is downloaded'],
  [{ untrustedProxies: ['10.0.0.2'], publicOrigins: ['https://a.example'] }, 'Forwarded headers from 10.0.0.2'],
  [{ publicOrigins: ['https://a.example'] }, 'PUBLIC_ORIGIN is set and TRUST_PROXY is not'],
  [{ rateLimits: false }, 'RATE_LIMITS is off'],
])('%j is warned of in one sentence', (circumstances, start) => {
  const [first = '', ...more] = warningsOf({ ...calm, ...circumstances });
  expect(first.startsWith(start)).toBe(true);
  expect(more).toEqual([]);
});
