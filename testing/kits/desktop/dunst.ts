import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openNotifications, type DesktopNotifications } from '#platform/agent/drivers/notifications.ts';
import { waitFor } from './desktop.ts';

/** The desktop notification service `dunst`, on its own bus. */
export interface NotificationService extends AsyncDisposable {
  /** Address of the bus. */
  readonly address: string;
  readonly notifications: DesktopNotifications;
  /** Its output. Clear it by setting its length. */
  readonly lines: string[];
  /** Resolves when a matching notification is shown. */
  readonly waitForNotification: (pattern: RegExp) => Promise<void>;
}

/** @param flags command-line flags of dunst. */
export async function startNotificationService(env: NodeJS.ProcessEnv, flags = ''): Promise<NotificationService> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-bus-'));
  const config = join(folder, 'bus.conf');
  // The bus starts no services: the system's would start a second one if
  // ours is not ready yet, and ours would give way.
  const rules = '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>';
  writeFileSync(
    config,
    `<busconfig><type>session</type><listen>unix:dir=${folder}</listen><policy context="default">${rules}</policy></busconfig>`,
  );
  const script = `echo "$DBUS_SESSION_BUS_ADDRESS"; exec dunst -print ${flags}`;
  const session = spawn('dbus-run-session', [`--config-file=${config}`, '--', 'sh', '-c', script], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const exited = new Promise((resolve) => session.once('exit', resolve));
  const lines: string[] = [];
  createInterface({ input: session.stdout }).on('line', (line) => void lines.push(line));
  const address = await waitFor('the bus runs', () => lines[0]);
  const notifications = await waitFor('the desktop answers', async () => {
    const opened = await openNotifications(address);
    return opened.ability.able && opened;
  });
  return {
    address,
    notifications,
    lines,
    waitForNotification: async (pattern) => {
      await waitFor(`${pattern} is shown`, () => lines.some((line) => pattern.test(line)));
    },
    [Symbol.asyncDispose]: async () => {
      await notifications[Symbol.asyncDispose]();
      process.kill(-(session.pid ?? 0), 'SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
