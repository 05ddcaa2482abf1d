import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionBus } from '@homebridge/dbus-native';
import { onTestFinished } from 'vitest';
import { connectBus } from '#platform/agent/drivers/sessionBus.ts';

/** A bus that starts no services, until the end of the test. */
export interface PrivateBus {
  readonly address: string;
  /** Connects a program. */
  readonly connect: () => SessionBus;
}

export async function startPrivateBus(): Promise<PrivateBus> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-bus-'));
  const address = `unix:path=${join(folder, 'bus')}`;
  const config = join(folder, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig>
      <listen>${address}</listen>
      <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
    </busconfig>`,
  );
  const daemon = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--nopidfile', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    daemon.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  await new Promise((resolve) => daemon.stdout.once('data', resolve));
  return {
    address,
    connect: () => {
      const bus = connectBus(address);
      if (!bus) throw new Error('there is no bus');
      onTestFinished(() => bus.connection.end());
      return bus;
    },
  };
}
