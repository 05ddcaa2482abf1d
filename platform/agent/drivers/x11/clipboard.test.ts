import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { waitFor, openTerminalSink, startDesktop, type TestDesktop } from '#testing/kits/desktop/desktop.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { openXClipboard, type XClipboard } from './clipboard.ts';
import { openSelectionConnection, type SelectionConnection } from './selectionConnection.ts';

const skipReason = getSkipReason('Xvfb', 'openbox', 'xclip', 'xterm', 'xdotool');

const TEXTS = {
  plain: 'plain text',
  unicode: 'Grüße, мир, 世界, 👩‍🚀 e\u0301 \u202e\u2028',
  lines: 'one\n\ttwo\r\nthree\n',
  longest: '👋'.repeat(10_000),
  'in parts': 'ä0123456789'.repeat(20_000),
  empty: '',
} as const;

describe.skipIf(skipReason)(`the clipboard on X11${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let desk: TestDesktop;
  let clipboard: XClipboard;

  beforeAll(async () => {
    desk = await startDesktop();
    clipboard = openXClipboard(desk.name);
  });
  afterAll(async () => {
    await clipboard?.[Symbol.asyncDispose]();
    await desk?.[Symbol.asyncDispose]();
  });

  /** Returns what another program gets when it requests this target. */
  const paste = (target = 'UTF8_STRING'): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const child = spawn('xclip', ['-selection', 'clipboard', '-o', '-t', target], { env: desk.env });
      const chunks: Buffer[] = [];
      let errorOutput = '';
      child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
      child.once('close', (code) => (code === 0 ? resolve(Buffer.concat(chunks)) : reject(new Error(errorOutput))));
    });
  async function getOwner(): Promise<number> {
    const { x, request } = desk.display;
    const atom = await request<number>((done) => x.InternAtom(false, 'CLIPBOARD', done));
    return request<number>((done) => x.GetSelectionOwner(atom, done));
  }
  /** Makes another program take the clipboard and keep it in the background. */
  async function copy(text: string, ...flags: readonly string[]): Promise<void> {
    const before = await getOwner();
    spawnSync('xclip', ['-selection', 'clipboard', '-i', ...flags], {
      env: desk.env,
      input: text,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await waitFor('xclip has the clipboard', async () => ![0, before].includes(await getOwner()));
  }
  /** Takes the clipboard on a separate connection, as another program does. */
  async function takeClipboard(): Promise<SelectionConnection & { readonly window: number }> {
    const connection = await openSelectionConnection(desk.name);
    onTestFinished(() => connection[Symbol.asyncDispose]());
    const window = connection.addWindow();
    connection.display.x.SetSelectionOwner(window, connection.atoms.CLIPBOARD, 0);
    await connection.display.sync();
    return { ...connection, window };
  }

  test('without an owner there is no text', async () => {
    expect(await clipboard.read()).toBe('');
  });

  test.for(Object.entries(TEXTS))('a written text is available to another program: %s', async ([, text]) => {
    await clipboard.write(text);
    expect((await paste()).toString()).toBe(text);
    expect((await paste('TEXT')).toString()).toBe(text);
    expect((await paste('text/plain;charset=utf-8')).toString()).toBe(text);
    expect(await clipboard.read()).toBe(text);
  });

  test.for(Object.entries(TEXTS))('a text of another program is read: %s', async ([, text]) => {
    await copy(text);
    expect(await clipboard.read()).toBe(text);
  });

  test('a text that is only offered as Latin-1 is read and decoded as such', async () => {
    const connection = await takeClipboard();
    const { x } = connection.display;
    connection.onEvent((event) => {
      if (event.name !== 'SelectionRequest') return;
      const { requestor, target, property } = event;
      const isRequested = target === connection.atoms.STRING;
      if (isRequested) x.ChangeProperty(0, requestor, property, target, 8, Buffer.from('Gr\xfc\xdfe\0', 'latin1'));
      x.SendEvent(requestor, 0, 0, {
        ...event,
        name: 'SelectionNotify',
        type: 31,
        property: isRequested ? property : 0,
      });
    });
    expect(await clipboard.read()).toBe('Grüße');
    await clipboard.write('Grüße 世');
    expect((await paste('STRING')).toString('latin1')).toBe('Gr\xfc\xdfe ?');
  });

  test('a picture is not a text', async () => {
    await copy('not really a picture', '-t', 'image/png');
    expect(await clipboard.read()).toBe('');
  });

  test('the owner reports its targets and its timestamp', async () => {
    await clipboard.write('x');
    expect((await paste('TARGETS')).toString().split('\n')).toEqual(
      expect.arrayContaining(['TARGETS', 'MULTIPLE', 'TIMESTAMP', 'UTF8_STRING', 'STRING', 'TEXT']),
    );
    expect(Number((await paste('TIMESTAMP')).toString())).toBeGreaterThan(0);
    await expect(paste('image/png')).rejects.toThrow('not available');
  });

  test('the clipboard of a Wayland desktop offers UTF-8 only', async () => {
    await using utf8Clipboard = openXClipboard(desk.name, { isUtf8Only: true });
    await utf8Clipboard.write('Grüße 世');
    const targets = (await paste('TARGETS')).toString().split('\n');
    expect(targets).toContain('UTF8_STRING');
    expect(targets).not.toContain('STRING');
    expect(targets).not.toContain('TEXT');
  });

  test('several targets are served together, and unavailable ones are replaced by zero', async () => {
    await clipboard.write('twice');
    const connection = await openSelectionConnection(desk.name);
    onTestFinished(() => connection[Symbol.asyncDispose]());
    const { atoms, display } = connection;
    const window = connection.addWindow();
    using inbox = connection.openInbox(({ name, requestor }) => name === 'SelectionNotify' && requestor === window);
    const pairs = [atoms.UTF8_STRING, atoms.TEXT, atoms.INTEGER, atoms.STRING];
    display.x.ChangeProperty(0, window, atoms.PEGBOARD_CLIPBOARD, atoms.ATOM_PAIR, 32, pairs);
    display.x.ConvertSelection(window, atoms.CLIPBOARD, atoms.MULTIPLE, atoms.PEGBOARD_CLIPBOARD, 0);
    await inbox.next(10_000, () => new Error('no answer'));
    const read = async (property: number) =>
      (await display.request<{ data: Buffer }>((done) => display.x.GetProperty(0, window, property, 0, 0, 64, done)))
        .data;
    expect((await read(atoms.TEXT)).toString()).toBe('twice');
    expect((await read(atoms.PEGBOARD_CLIPBOARD)).readUInt32LE(12)).toBe(0);
  });

  test('an owner that never answers is reported, and the next one is read', async () => {
    await takeClipboard();
    await expect(clipboard.read()).rejects.toThrow('is not responding');
    await copy('after');
    expect(await clipboard.read()).toBe('after');
  });

  test('an owner that stops halfway is reported', async () => {
    const connection = await takeClipboard();
    const { x } = connection.display;
    connection.onEvent((event) => {
      if (event.name !== 'SelectionRequest') return;
      x.ChangeProperty(0, event.requestor, event.property, connection.atoms.INCR, 32, [1000]);
      x.SendEvent(event.requestor, 0, 0, { ...event, name: 'SelectionNotify', type: 31 });
    });
    await expect(clipboard.read()).rejects.toThrow('is not responding');
  });

  test('more than a MiB is refused, in one property or in chunks', async () => {
    await copy('x'.repeat(1024 * 1024 + 1));
    await expect(clipboard.read()).rejects.toThrow('more than 1 MiB');
  });

  test('a requestor that disappears does no harm', async () => {
    await clipboard.write(TEXTS['in parts']);
    for (let count = 0; count < 5; count += 1) {
      const connection = await openSelectionConnection(desk.name);
      const { UTF8_STRING, CLIPBOARD, PEGBOARD_CLIPBOARD } = connection.atoms;
      connection.display.x.ConvertSelection(connection.addWindow(), CLIPBOARD, UTF8_STRING, PEGBOARD_CLIPBOARD, 0);
      await connection.display.sync();
      await connection[Symbol.asyncDispose]();
    }
    expect((await paste()).toString()).toBe(TEXTS['in parts']);
    await clipboard.write('still there');
    expect((await paste()).toString()).toBe('still there');
  });

  test('the last write counts, also with concurrent writes', async () => {
    await Promise.all([clipboard.write('first'), clipboard.write('second')]);
    const text = await clipboard.read();
    expect((await paste()).toString()).toBe(text);
    await copy('theirs');
    expect(await clipboard.read()).toBe('theirs');
    await clipboard.write('ours');
    expect((await paste()).toString()).toBe('ours');
  });

  test('a terminal pastes the text', async () => {
    const folder = createTempFolderSync();
    const resources = join(folder, 'resources');
    writeFileSync(resources, 'XTerm*selectToClipboard: true\n');
    await using sink = await openTerminalSink({ ...desk, env: { ...desk.env, XENVIRONMENT: resources } });
    await clipboard.write('Grüße, мир 👋');
    spawnSync('xdotool', ['key', 'shift+Insert'], { env: desk.env });
    await sink.waitForText('Grüße, мир 👋');
  });
});

test('without a display this is reported; it works once there is one, and again on the next display', async () => {
  const display = `:${20_000 + (process.pid % 30_000)}`;
  await using clipboard = openXClipboard(display);
  await expect(clipboard.read()).rejects.toThrow(Refusal);
  if (skipReason !== undefined) return;
  for (let round = 0; round < 2; round += 1) {
    const server = spawn('Xvfb', [display, '-screen', '0', '640x480x24', '-nolisten', 'tcp', '-noreset'], {
      stdio: 'ignore',
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    await waitFor('it is found', () =>
      clipboard
        .read()
        .then((text) => text === '')
        .catch(() => false),
    );
    await clipboard.write('here');
    expect(await clipboard.read()).toBe('here');
    const exited = new Promise((done) => server.once('exit', done));
    server.kill('SIGKILL');
    await exited;
    await waitFor('it is lost', () =>
      clipboard
        .read()
        .then(() => false)
        .catch(() => true),
    );
    await expect(clipboard.write('nowhere')).rejects.toThrow('display of that computer');
  }
});
