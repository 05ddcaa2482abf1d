// The programs of macOS are scripts here, which record how they are called.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeMac, type FakeMac } from '#testing/kits/desktop/mac.ts';
import { getSkipReason } from '#testing/machine.ts';
import { createMacNotifications } from './notifications.ts';
import { createMacClipboard } from './session.ts';

const skipReason = getSkipReason('gcc');
const QUESTION = { title: '-x "Ask"', text: 'Run it?', confirmLabel: 'Allow', rejectLabel: 'Refuse', timeoutMs: 2500 };

describe.skipIf(skipReason)(`programs of macOS${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let mac: FakeMac;
  beforeAll(() => {
    mac = createFakeMac();
  });
  afterAll(() => mac?.[Symbol.dispose]());

  test('texts reach the clipboard and come back exactly, in UTF-8', async () => {
    mac.createProgram('pbcopy', 'cat > clipboard');
    const clipboard = createMacClipboard(mac.createProgram('pbpaste', 'cat clipboard'));
    for (const text of ['Grüße 👋\nмир', '', 'x'.repeat(200_000), ' \n']) {
      await clipboard.write(text);
      expect(await clipboard.read()).toBe(text);
    }
    expect(mac.readProgramFile('pbcopy.lang')).toBe('en_US.UTF-8');
    expect(mac.readProgramFile('pbpaste.args')).toBe('-Prefer\ntxt\n');
  });

  test('a clipboard that fails says why', async () => {
    const clipboard = createMacClipboard(mac.createProgram('pbpaste', 'echo no session >&2; exit 1'));
    await expect(clipboard.read()).rejects.toThrow("The agent can't use the clipboard of that computer: no session");
    await expect(createMacClipboard({ PATH: mac.folder }).write('a')).rejects.toThrow('ENOENT');
  });

  test('a clipboard whose owner never answers is refused after a while, so that later commands run', async () => {
    const clipboard = createMacClipboard(mac.createProgram('pbpaste', 'exec sleep 60'), 100);
    await expect(clipboard.read()).rejects.toThrow('is not responding. Copy the text on that computer again');
  });

  test('a notification passes its texts as arguments, never as a script', async () => {
    await using notifications = createMacNotifications(mac.createProgram('osascript', ''));
    await notifications.show('-e title', '"; do shell script "rm"\nsecond line');
    const [option, ...lines] = mac.readProgramFile('osascript.args').split('\n');
    expect(option).toBe('-e');
    expect(lines.slice(0, 3)).toEqual([
      'on run argv',
      'display notification (item 3 of argv) with title (item 2 of argv)',
      'end run',
    ]);
    expect(lines.slice(3)).toEqual(['pegboard', '-e title', '"; do shell script "rm"', 'second line', '']);
  });

  test.each([
    ['yes', true],
    ['no', false],
    ['none', undefined],
  ])('a question that is answered with %s returns %s', async (answer, expected) => {
    await using notifications = createMacNotifications(mac.createProgram('osascript', `echo ${answer}`));
    expect(await notifications.confirm(QUESTION)).toBe(expected);
    const args = mac.readProgramFile('osascript.args');
    expect(args).toContain('pegboard\n-x "Ask"\nRun it?\nAllow\nRefuse\n3\n');
    expect(args).not.toContain('default button');
  });

  test('a script that fails is a refusal, and one that is open ends with the agent', async () => {
    const env = mac.createProgram('osascript', 'echo "execution error: not allowed (-1743)" >&2; exit 1');
    await expect(createMacNotifications(env).show('a', 'b')).rejects.toThrow('not allowed (-1743)');
    const notifications = createMacNotifications(mac.createProgram('osascript', 'exec sleep 60'));
    const answer = notifications.confirm({ ...QUESTION, timeoutMs: 60_000 });
    setTimeout(() => void notifications[Symbol.asyncDispose](), 50);
    expect(await answer).toBeUndefined();
  });
});
