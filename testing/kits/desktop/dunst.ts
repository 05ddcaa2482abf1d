import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openNotifications, type DesktopNotifications } from '#platform/agent/drivers/notifications.ts';
import { waitFor } from './desktop.ts';

/** A desktop's notification service, `dunst`, on a bus of its own. */
export interface NotificationService extends AsyncDisposable {
  /** Of the bus. */
  readonly address: string;
  readonly notifications: DesktopNotifications;
  /** What it shows, as it prints it. Clear it by its length. */
  readonly lines: string[];
  /** Settles once something is shown that fits. */
  readonly waitForNotification: (pattern: RegExp) => Promise<void>;
}

/** @param flags dunst's own */
export async function startNotificationService(env: NodeJS.ProcessEnv, flags = ''): Promise<NotificationService> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-bus-'));
  const config = join(folder, 'bus.conf');
  // It starts no programs by itself: the system's would start a second service where ours is not up yet, and ours would give way.
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
  const gone = new Promise((done) => session.once('exit', done));
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
      await gone;
      await rm(folder, { recursive: true });
    },
  };
}
