import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, startDesktop } from '#testing/desktop.ts';
import { lacks } from '#testing/machine.ts';
import { openNotifications } from './notifications.ts';

test.each([undefined, '', 'nonsense:', 'unix:path=/nowhere/bus'])(
  'without a bus (%j) there are none, and it says so',
  async (address) => {
    const notifications = await openNotifications(address);
    expect(notifications.ability).toEqual({ able: false, reason: expect.stringContaining('no notifications') });
    await expect(notifications.show('a', 'b')).rejects.toThrow('no notifications');
  },
);

test('a bus that never answers does not hold the agent up', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'pegboard-bus-')), 'bus');
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(path, done));
  onTestFinished(() => {
    silent.close();
    rmSync(join(path, '..'), { recursive: true });
  });
  expect((await openNotifications(`unix:path=${path}`)).ability.able).toBe(false);
});

/** A bus that starts no programs by itself: the system's would start a second notification service where ours is not up yet, and ours would give way. */
const ownBus = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-bus-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'bus.conf');
  const rules = '<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>';
  writeFileSync(
    path,
    `<busconfig><type>session</type><listen>unix:dir=${folder}</listen><policy context="default">${rules}</policy></busconfig>`,
  );
  return path;
};

const lack = lacks('Xvfb', 'openbox', 'dunst', 'dbus-run-session');

describe.skipIf(lack)(`notifications of a real desktop${lack === undefined ? '' : `: ${lack}`}`, () => {
  test('a message is shown, with its markup as text', async () => {
    await using desk = await startDesktop();
    const script = 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec dunst -print';
    const session = spawn('dbus-run-session', [`--config-file=${ownBus()}`, '--', 'sh', '-c', script], {
      env: desk.env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    onTestFinished(() => void process.kill(-(session.pid ?? 0), 'SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: session.stdout }).on('line', (line) => void lines.push(line));
    const address = await eventually('the bus runs', () => lines[0]);
    const notifications = await eventually('the desktop answers', async () => {
      const opened = await openNotifications(address);
      return opened.ability.able && opened;
    });
    await notifications.show('Anna', 'Grüße & <b>not bold</b> 👋');
    await eventually('it is shown', () => lines.some((line) => line.includes('Anna')));
    expect(lines.join('\n')).toMatch(/Grüße (&|&amp;) (<|&lt;)b/);
    await notifications[Symbol.asyncDispose]();
  });
});
