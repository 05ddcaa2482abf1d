import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import {
  enterPairingCode,
  readUse,
  removeAgentData,
  startWindowsAgent,
  waitForConnection,
  waitForEnd,
} from '#testing/kits/desktop/windowsAgent.ts';
import type { Notepad } from '#testing/kits/desktop/windowsHost.ts';
import {
  getWineSkipReason,
  startWindows,
  WINDOWS_START_TIMEOUT_MS,
  type WindowsDesktop,
  type WindowsProgram,
} from '#testing/kits/desktop/wine.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { fetchclipboard, sendclipboard } from '#tools/clipboard/contract.ts';
import { devicedetails } from '#tools/devices/contract.ts';
import { retrievemessages } from '#tools/messages/contract.ts';
import { fileupload, keyboardinput } from '#tools/remote/contract.ts';
import { openselfcheck, runselfcheckstep, type CheckStep } from '#tools/selfcheck/contract.ts';
import { sampleTexts } from '#tools/selfcheck/domain/sampleTexts.ts';

const TEXT = 'Grüße, "мир" — 你好 👋';
const PROSE = 'The quick brown fox jumps over the lazy dög. '.repeat(5).slice(0, 200);
const RUN_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;

function countNotepads(windows: WindowsDesktop): Promise<number> {
  return windows.run(({ openUser32, encodeWideText }) => {
    const { FindWindowExW } = openUser32().functions;
    const name = encodeWideText('Notepad');
    let count = 0;
    for (let window = FindWindowExW(0n, 0n, name, 0n); window !== 0n; count++)
      window = FindWindowExW(0n, window, name, 0n);
    return count;
  });
}

/** Closes all windows of Notepad except the test's own, as a person does. */
function closeOtherNotepads(windows: WindowsDesktop): Promise<void> {
  return windows.run(({ openUser32, encodeWideText, values }) => {
    const { FindWindowExW, PostMessageW } = openUser32().functions;
    const name = encodeWideText('Notepad');
    const own = (values.get('notepad') as Notepad).window;
    for (let window = FindWindowExW(0n, 0n, name, 0n); window !== 0n; window = FindWindowExW(0n, window, name, 0n))
      if (window !== own) PostMessageW(window, 0x10, 0n, 0n);
  });
}

describeDesktop('the agent on Windows', { missing: getWineSkipReason(), isExtra: true }, () => {
  let windows: WindowsDesktop;
  let server: TestServer;
  let account: TestAccount;
  let target = '';
  let lastTimesent = 1_800_000_000;

  beforeAll(async () => {
    windows = await startWindows();
    server = await startServer();
    account = await server.createAccount('anna');
    await removeAgentData(windows);
    await windows.run(async (host) => void host.values.set('notepad', await host.openNotepad()));
  }, WINDOWS_START_TIMEOUT_MS);
  afterAll(async () => {
    if (windows) await removeAgentData(windows).catch(() => undefined); // a program that still ends may have a file open
    await windows?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  function startAgent(...args: readonly string[]): WindowsProgram {
    const program = startWindowsAgent(windows, ...args);
    onTestFinished(() => program[Symbol.asyncDispose]());
    return program;
  }
  async function runSubcommand(...args: readonly string[]) {
    const program = startAgent(...args);
    const code = await waitForEnd(program);
    return { code, output: program.getOutput() };
  }
  async function startConnected(): Promise<WindowsProgram> {
    const agent = startAgent('run', '--allow-scripts', '--allow-clipboard');
    await waitForConnection(agent);
    return agent;
  }
  const sendInput = (inputValue: string, inputtype: 1 | 2 | 3): Promise<object> =>
    account.call(keyboardinput, { content: { inputtype, inputValue, target, timesent: (lastTimesent += 1) } });
  const getText = () => windows.run(({ values }) => (values.get('notepad') as Notepad).getText());
  const setText = (text: string) =>
    windows.run(({ values }, next) => (values.get('notepad') as Notepad).setText(next), text);

  test('it is paired by its code, connects, and stores its data in the folders of Windows', async () => {
    const agent = startAgent('pair', server.origin, '--name', 'Desk');
    target = await enterPairingCode(agent, account);
    const { devices } = await account.call(devicedetails, {});
    expect(devices[0]).toMatchObject({
      name: 'Desk',
      state: 'Connected',
      system: 'Windows 10 Pro, Windows desktop',
      abilities: { keyboard: { able: true }, mouse: { able: true }, usage: { able: true } },
    });
    const files = await windows.run(async ({ import: load }) => {
      const { existsSync } = (await load('node:fs')) as typeof import('node:fs');
      return [
        `${process.env['APPDATA']}\\pegboard\\agent.json`,
        `${process.env['LOCALAPPDATA']}\\pegboard\\state\\answers.db`,
      ].map((path) => existsSync(path));
    });
    expect(files).toEqual([true, true]);
  });

  test('it types, presses shortcuts, and answers commands over its named pipe', async () => {
    const agent = await startConnected();
    await setText('');
    await sendInput(TEXT, 1);
    await expect.poll(getText).toBe(TEXT);
    await sendInput('[[keys]]Ctrl-A', 2);
    const startedAt = performance.now();
    await sendInput(PROSE, 1);
    const answeredMs = performance.now() - startedAt;
    await expect.poll(getText, { interval: 5 }).toBe(PROSE);
    process.stdout.write(
      `200 characters: answered in ${answeredMs.toFixed(0)} ms, received after ${(performance.now() - startedAt).toFixed(0)} ms\n`,
    );

    const status = await runSubcommand('status');
    expect(status.code).toBe(0);
    expect(status.output).toMatch(/Desk on .*: connected[^]*keyboard: yes[^]*capture: no/);
    process.stdout.write(status.output);
    expect(await runSubcommand('run')).toEqual({ code: 1, output: expect.stringContaining('is already running') });
    expect((await runSubcommand('pause')).code).toBe(0);
    await expect(sendInput('a', 1)).rejects.toThrow('paused');
    expect((await runSubcommand('resume')).code).toBe(0);
    await waitFor('it types again', () => sendInput('b', 1).then(Boolean, () => false));
    expect(await runSubcommand('send', 'from Windows 👋')).toMatchObject({ code: 0 });
    const { messages } = await account.call(retrievemessages, { content: { target } });
    expect(messages).toEqual(['from Windows 👋']);
    await agent[Symbol.asyncDispose]();
  });

  test('it sets and fetches the clipboard', async () => {
    await using agent = await startConnected();
    await account.call(sendclipboard, { content: { target, text: TEXT } });
    expect(await account.call(fetchclipboard, { content: { target } })).toMatchObject({ text: TEXT });
    await setText('');
    await sendInput('[[keys]]Ctrl-V', 2);
    await expect.poll(getText).toBe(TEXT);
    expect(agent.getOutput()).toContain('lipboard');
  });

  test('a self-check passes, with Notepad for the page: there is no browser under Wine', async () => {
    await using _ = await startConnected();
    const { output } = await runSubcommand('try');
    const { searchParams } = new URL(/http\S+/.exec(output)?.[0] ?? '');
    const check = { device: Number(searchParams.get('device')), run: searchParams.get('run') ?? '' };
    expect(await account.call(openselfcheck, check)).toMatchObject({
      name: 'Desk',
      system: 'Windows 10 Pro, Windows desktop',
      runtime: expect.stringContaining('win32'),
    });
    const run = (step: CheckStep) => account.call(runselfcheckstep, { ...check, step });
    for (const { parts } of sampleTexts)
      for (const text of parts) {
        await setText('');
        expect(await run({ kind: 'type', text })).toEqual({ dropped: [] });
        await expect.poll(getText).toBe(text);
      }
    await run({ kind: 'press', keys: ['Ctrl', 'a'] });
    await run({ kind: 'press', keys: ['Del'] });
    await expect.poll(getText).toBe('');
    await run({ kind: 'copy', text: TEXT });
    await run({ kind: 'press', keys: ['Ctrl', 'v'] });
    await expect.poll(getText).toBe(TEXT);
    for (const step of [
      { kind: 'compare', text: TEXT },
      { kind: 'window', title: 'Untitled - Notepad' },
    ] as const) {
      const { compared } = await run(step);
      expect(compared?.received).toBe(compared?.expected);
    }
    const { unavailable } = await run({ kind: 'sound' });
    expect(unavailable).toContain('no sound output');
    await run({ kind: 'finish' });
  });

  test.each([
    ['hello.cmd', '@echo off\necho hello from %~nx0\nexit /b 3', /^hello\.cmd: exit code 3\nhello from hello\.cmd$/],
    [
      'hello & more.mjs',
      'console.log(process.platform, process.env.NODE_OPTIONS, "Grüße")',
      /exit code 0\nwin32 undefined Grüße$/,
    ],
    ['missing.py', 'print(1)', /no py\.exe or python\.exe/],
    ['hello.sh', 'echo', /Script names must end in \.ps1, \.cmd/],
    ['player.exe', 'text', /Add a \.cmd file with the line: start "" /],
  ])('script %s runs, or is refused with a sentence', async (name, text, expected) => {
    await using _ = await startConnected();
    await account.call(fileupload, { content: { name, text } });
    const before = (await account.call(retrievemessages, { content: { target } })).messages.length;
    const refusal = await sendInput(`[[file]]${name}`, 3).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    const result =
      refusal ??
      (await waitFor('the result arrives', async () => {
        const { messages } = await account.call(retrievemessages, { content: { target } });
        return messages[before];
      }));
    expect(result.replaceAll('\r', '')).toMatch(expected);
  });

  test('a program that a script has started stays open when the script has ended', async () => {
    await using _ = await startConnected();
    const name = 'editor.cmd';
    await account.call(fileupload, { content: { name, text: '@start "" "C:\\windows\\system32\\notepad.exe"\n' } });
    await sendInput(`[[file]]${name}`, 3);
    await waitFor('the result arrives', async () => {
      const { messages } = await account.call(retrievemessages, { content: { target } });
      return messages.includes('editor.cmd: exit code 0');
    });
    await expect.poll(() => countNotepads(windows)).toBe(2);
    await closeOtherNotepads(windows);
    await expect.poll(() => countNotepads(windows)).toBe(1);
  });

  test('everything that a script started ends with the agent', async () => {
    const agent = await startConnected();
    const name = 'background.mjs';
    const text = `import { spawn } from 'node:child_process';
      spawn('notepad.exe', [], { detached: true, stdio: 'ignore' }).unref();
      setTimeout(() => {}, 50_000);`;
    await account.call(fileupload, { content: { name, text } });
    await sendInput(`[[file]]${name}`, 3);
    await expect.poll(() => countNotepads(windows)).toBe(2);
    await agent[Symbol.asyncDispose]();
    await expect.poll(() => countNotepads(windows)).toBe(1);
  });

  test('it is installed in the registry, runs without a window, and is uninstalled', async () => {
    const install = await runSubcommand('install', '--allow-scripts');
    expect(install).toMatchObject({ code: 0, output: expect.stringContaining('It is running now') });
    await waitFor('it runs', async () => (await runSubcommand('status')).output.includes('connected'));
    const query = await windows.run(async ({ import: load }, key) => {
      const { execFileSync } = (await load('node:child_process')) as typeof import('node:child_process');
      return execFileSync('reg.exe', ['query', key]).toString();
    }, RUN_KEY);
    expect(query).toMatch(
      /Pegboard agent\s+REG_SZ\s+.*node\.exe .*\\pegboard\\agent\.mjs run --allow-scripts --autostart/,
    );
    // A second one takes the place of the first.
    expect(await runSubcommand('install')).toMatchObject({ code: 0 });
    expect(await runSubcommand('uninstall')).toMatchObject({ code: 0 });
    expect((await runSubcommand('status')).output).toContain('is not running');
    const after = await windows.run(async ({ import: load }, key) => {
      const { execFileSync } = (await load('node:child_process')) as typeof import('node:child_process');
      try {
        return execFileSync('reg.exe', ['query', key]).toString();
      } catch {
        return '';
      }
    }, RUN_KEY);
    expect(after).not.toContain('Pegboard');
  });

  test('it uses little memory, and little time while nothing happens', async () => {
    // Wine copies the whole program into memory, which Windows does not.
    await using bare = windows.startNode(['-e', 'setInterval(() => {}, 1000)']);
    await using agent = await startConnected();
    await new Promise((done) => setTimeout(done, 3000));
    const before = readUse(agent);
    await new Promise((done) => setTimeout(done, 10_000));
    const after = readUse(agent);
    const ownMegabytes = after.megabytes - readUse(bare).megabytes;
    const busyPercent = (after.coreSeconds - before.coreSeconds) * 10;
    process.stdout.write(`${ownMegabytes.toFixed(0)} MB more than Node alone, ${busyPercent} % of a core\n`);
    expect(ownMegabytes).toBeLessThan(60);
    expect(busyPercent).toBeLessThan(5);
  });
});
