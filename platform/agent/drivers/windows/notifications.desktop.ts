import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import {
  getWineSkipReason,
  startWindows,
  WINDOWS_START_TIMEOUT_MS,
  toWindowsUrl,
  type WindowsDesktop,
} from '#testing/kits/desktop/wine.ts';
import type { DesktopNotifications } from '../notifications.ts';
import type { openWindowsNotifications } from './notifications.ts';

const modulePath = toWindowsUrl(resolve(import.meta.dirname, 'notifications.ts'));

describeDesktop('notifications of Windows', { missing: getWineSkipReason(), isExtra: true }, () => {
  let windows: WindowsDesktop;
  beforeAll(async () => {
    windows = await startWindows();
    await windows.run(async ({ values, import: load }, path) => {
      const module = (await load(path)) as { readonly openWindowsNotifications: typeof openWindowsNotifications };
      values.set('notifications', module.openWindowsNotifications());
    }, modulePath);
  }, WINDOWS_START_TIMEOUT_MS);
  afterAll(async () => {
    await windows?.run(async ({ values }) => {
      await (values.get('notifications') as DesktopNotifications)[Symbol.asyncDispose]();
    });
    await windows?.[Symbol.asyncDispose]();
  });

  /** Asks, and presses a button of the box as a person does: 6 is the first, 7 the second, 0 neither. */
  const ask = (button: number, timeoutMs: number) =>
    windows.run(
      async ({ values, openUser32, encodeWideText, getFfi, sleep }, pressed, limitMs) => {
        const user32 = openUser32().functions;
        const { GetDlgItem } = getFfi().dlopen('user32.dll', {
          GetDlgItem: { arguments: ['pointer', 'int32'], return: 'pointer' },
        }).functions;
        const answer = (values.get('notifications') as DesktopNotifications).confirm({
          title: 'Pegboard asks',
          text: 'May anna fetch the clipboard? 👋',
          confirmLabel: 'Allow',
          rejectLabel: 'Refuse',
          timeoutMs: limitMs,
        });
        const search = { isOver: false };
        const endSearch = () => void (search.isOver = true);
        answer.then(endSearch, endSearch);
        let dialog = 0n;
        let labels: readonly string[] = [];
        // The box is there before its buttons have their labels.
        while (!search.isOver && labels[0] !== 'Allow') {
          await sleep(10);
          dialog = user32.FindWindowExW(0n, 0n, encodeWideText('#32770'), encodeWideText('Pegboard asks'));
          labels = [6, 7].map((id) => {
            const text = Buffer.alloc(200);
            user32.GetWindowTextW(GetDlgItem(dialog, id), text, 100);
            return text.toString('utf16le').replace(/\0.*$/su, '');
          });
        }
        if (pressed !== 0) user32.PostMessageW(dialog, 0x111, BigInt(pressed), 0n);
        return { labels, isYes: (await answer) ?? 'nothing' };
      },
      button,
      timeoutMs,
    );

  test('a question has the labels of its buttons and returns which was pressed', async () => {
    expect(await ask(6, 30_000)).toMatchObject({ labels: ['Allow', 'Refuse'], isYes: true });
    expect(await ask(7, 30_000)).toMatchObject({ labels: ['Allow', 'Refuse'], isYes: false });
  });

  test('a question without an answer closes after its time', async () => {
    expect(await ask(0, 600)).toMatchObject({ isYes: 'nothing' });
  });

  test('notifications are shown, one after another', async () => {
    await windows.run(async ({ values }) => {
      const notifications = values.get('notifications') as DesktopNotifications;
      await notifications.show('Pegboard', 'First');
      await notifications.show('A very long title 👋'.repeat(10), 'ü👋'.repeat(1000));
    });
  });

  test('the agent can end although a question is open', async () => {
    const source = `import(${JSON.stringify(modulePath)}).then(async ({ openWindowsNotifications }) => {
      const notifications = openWindowsNotifications();
      const question = { title: 'Open', text: '', confirmLabel: 'a', rejectLabel: 'b', timeoutMs: 600000 };
      const answer = notifications.confirm(question);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await notifications[Symbol.asyncDispose]();
      console.log('answer', await answer);
      process.exit(0);
    })`;
    await using program = windows.startNode(['-e', source]);
    const ended = new Promise((resolveCode) => program.child.once('exit', resolveCode));
    expect(await ended).toBe(0);
    expect(program.getOutput()).toContain('answer false');
  });
});
