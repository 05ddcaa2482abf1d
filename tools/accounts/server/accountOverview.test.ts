import { expect, test } from 'vitest';
import { type ServerHealth, listWarnings } from './accountOverview.ts';

const MIB = 1024 * 1024;
const NIGHT = Temporal.Instant.from('2026-11-30T03:00:00Z');
const healthyServer: ServerHealth = {
  untrustedProxies: [],
  publicOrigins: [],
  trustProxy: [],
  rateLimits: true,
  freeBytes: 9000 * MIB,
  warningBytes: 2048 * MIB,
  isDiskFull: false,
  canStoreFiles: true,
  canStoreLargeFiles: true,
  backups: { failure: undefined, isOverdue: false, next: NIGHT, copies: undefined },
};

test('a healthy server has no warnings, also behind a trusted proxy', () => {
  expect(listWarnings(healthyServer)).toEqual([]);
  expect(listWarnings({ ...healthyServer, publicOrigins: ['https://a.example'], trustProxy: ['loopback'] })).toEqual(
    [],
  );
});

test.each<[Partial<ServerHealth>, string]>([
  [
    { freeBytes: 499.9 * MIB, canStoreFiles: false, canStoreLargeFiles: false },
    'Only 499 MiB of disk space left. The server stores no files',
  ],
  [
    { freeBytes: 20 * MIB, isDiskFull: true, canStoreFiles: false, canStoreLargeFiles: false },
    'The disk is full: only 20 MiB of disk space left. Only logging in',
  ],
  [{ warningBytes: 9001 * MIB }, 'Only 9000 MiB of disk space left. Free some space before'],
  [{ freeBytes: 1500 * MIB, canStoreLargeFiles: false }, 'Only 1500 MiB of disk space left. Downloads are paused'],
  [{ untrustedProxies: ['10.0.0.2'], publicOrigins: ['https://a.example'] }, 'Forwarded headers from 10.0.0.2'],
  [{ publicOrigins: ['https://a.example'] }, 'PUBLIC_ORIGIN is set but TRUST_PROXY is not'],
  [{ rateLimits: false }, 'RATE_LIMITS is off'],
  [
    { backups: { ...healthyServer.backups, failure: { time: NIGHT, message: 'pg_dump failed' }, isOverdue: true } },
    'The last backup failed: pg_dump failed',
  ],
  [
    {
      backups: {
        ...healthyServer.backups,
        copies: { address: '/mnt/disk', newest: undefined, failure: { time: NIGHT, message: 'the disk is gone' } },
      },
    },
    'The last backup was not copied: the disk is gone',
  ],
  [{ backups: { ...healthyServer.backups, isOverdue: true } }, 'The newest backup is too old. Make one now'],
  [{ backups: { ...healthyServer.backups, next: undefined } }, 'No backups are scheduled. Unset BACKUP_EVERY'],
])('%j causes one warning', (health, beginning) => {
  const [first = '', ...others] = listWarnings({ ...healthyServer, ...health });
  expect(first.startsWith(beginning)).toBe(true);
  expect(others).toEqual([]);
});
