import { spawn, spawnSync } from 'node:child_process';
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

/** A desktop's notification service, `dunst`, and what it prints. `flags` are its own. */
const startDunst = async (env: NodeJS.ProcessEnv, flags = '') => {
  const script = `echo "$DBUS_SESSION_BUS_ADDRESS"; exec dunst -print ${flags}`;
  const session = spawn('dbus-run-session', [`--config-file=${ownBus()}`, '--', 'sh', '-c', script], {
    env,
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
  return { address, notifications, lines };
};

const lack = lacks('Xvfb', 'openbox', 'dunst', 'dbus-run-session');

describe.skipIf(lack)(`notifications of a real desktop${lack === undefined ? '' : `: ${lack}`}`, () => {
  test('a message is shown, with its markup as text', async () => {
    await using desk = await startDesktop();
    const { notifications, lines } = await startDunst(desk.env);
    await notifications.show('Anna', 'Grüße & <b>not bold</b> 👋');
    await eventually('it is shown', () => lines.some((line) => line.includes('Anna')));
    expect(lines.join('\n')).toMatch(/Grüße (&|&amp;) (<|&lt;)b/);
    await notifications[Symbol.asyncDispose]();
  });

  test('a question is answered by its buttons, closed without one, and stands no longer than it may', async () => {
    await using desk = await startDesktop();
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-dunst-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // In the place of the menu that a person chooses from.
    const chooser = join(folder, 'choose');
    const choose = (label: string): void => writeFileSync(chooser, `#!/bin/sh\ngrep -m1 ${label}\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'dunstrc'), `[global]\ndmenu = ${chooser}\n`);
    choose('Allow');
    const { address, notifications, lines } = await startDunst(desk.env, `-conf ${join(folder, 'dunstrc')}`);
    const question = { title: 'Pegboard', text: 'Anna <asks>', yes: 'Allow', no: 'Refuse', standsMs: 60_000 };
    const shown = async (): Promise<void> => {
      await eventually('it is shown', () => lines.some((line) => line.includes('asks')));
      lines.length = 0;
    };
    const press = (...words: readonly string[]) =>
      spawnSync('dunstctl', words, { env: { ...desk.env, DBUS_SESSION_BUS_ADDRESS: address } });

    for (const [label, answer] of [
      ['Allow', true],
      ['Refuse', false],
    ] as const) {
      choose(label);
      const asked = notifications.ask(question);
      await shown();
      press('context');
      expect(await asked).toBe(answer);
      press('close-all');
    }
    const closed = notifications.ask(question);
    await shown();
    press('close-all');
    expect(await closed).toBeUndefined();
    expect(await notifications.ask({ ...question, standsMs: 1 })).toBeUndefined();
    await notifications[Symbol.asyncDispose]();
  });
});
