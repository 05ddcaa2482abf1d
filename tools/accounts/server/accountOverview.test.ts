import { expect, test } from 'vitest';
import { type ServerCircumstances, listWarnings } from './accountOverview.ts';

const MIB = 1024 * 1024;
const healthy: ServerCircumstances = {
  untrustedProxies: [],
  publicOrigins: [],
  trustProxy: [],
  rateLimits: true,
  freeBytes: 9000 * MIB,
  mayKeepFiles: true,
  mayDownload: true,
};

test('a healthy server has no warnings, also behind a trusted proxy', () => {
  expect(listWarnings(healthy)).toEqual([]);
  expect(listWarnings({ ...healthy, publicOrigins: ['https://a.example'], trustProxy: ['loopback'] })).toEqual([]);
});

test.each<[Partial<ServerCircumstances>, string]>([
  [
    { freeBytes: 499.9 * MIB, mayKeepFiles: false, mayDownload: false },
    'Only 499 MiB of disk space left. The server stores no files',
  ],
  [{ freeBytes: 1500 * MIB, mayDownload: false }, 'Only 1500 MiB of disk space left. Downloads are paused'],
  [{ untrustedProxies: ['10.0.0.2'], publicOrigins: ['https://a.example'] }, 'Forwarded headers from 10.0.0.2'],
  [{ publicOrigins: ['https://a.example'] }, 'PUBLIC_ORIGIN is set but TRUST_PROXY is not'],
  [{ rateLimits: false }, 'RATE_LIMITS is off'],
])('%j causes one warning', (circumstances, start) => {
  const [first = '', ...more] = listWarnings({ ...healthy, ...circumstances });
  expect(first.startsWith(start)).toBe(true);
  expect(more).toEqual([]);
});
