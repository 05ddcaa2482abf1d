import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const UNIT = readFileSync(new URL('../../../deploy/pegboard.service', import.meta.url), 'utf8');

test('as a systemd service, programs can have their sandbox, and only the one that uses all memory is killed', () => {
  const settings = UNIT.split('\n').filter((line) => /^\w+=/.test(line));
  // bubblewrap creates namespaces and mounts its own /proc, which the kernel forbids to processes with a partial /proc.
  const blockingSettings =
    /^(RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProtectProc|ProcSubset|SystemCallFilter)=/;
  expect(settings.filter((line) => blockingSettings.test(line))).toEqual([]);
  expect(settings).toContain('OOMPolicy=continue');
  expect(settings.find((line) => line.startsWith('RestrictAddressFamilies='))).toContain('AF_NETLINK');
});
