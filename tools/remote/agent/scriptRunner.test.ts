import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { retrievemessages } from '#tools/messages/contract.ts';
import { fileupload, keyboardinput } from '../contract.ts';
import { approveScript, createScriptRunner, type ScriptLimits } from './scriptRunner.ts';

interface SentResult {
  readonly text: string;
  readonly key: string;
}

/** Creates a runner whose messages are added to `sent`; `setAnswer` sets how the server answers them. */
function createRunner(
  options: { readonly scripts?: boolean; readonly confirm?: boolean; readonly limits?: ScriptLimits } = {},
) {
  const stateDir = mkdtempSync(join(tmpdir(), 'pegboard-scripts-'));
  const sent: SentResult[] = [];
  let answer: (() => Promise<object>) | undefined;
  const drivers = createFakeDrivers();
  const context: AgentContext = {
    drivers,
    allowed: {
      keyboard: true,
      mouse: true,
      sound: true,
      usage: true,
      messages: true,
      notifications: true,
      clipboard: false,
      scripts: options.scripts ?? true,
      capture: false,
    },
    isConfirmationRequired: options.confirm ?? false,
    call: (async (_: unknown, message: SentResult) => {
      const response = (await answer?.()) ?? {};
      sent.push(message);
      return response;
    }) as unknown as AgentContext['call'],
    print: () => undefined,
    report: () => Promise.reject(new Error('nothing is reported here')),
    serverNow: () => Promise.reject(new Error('not used here')),
    isPaused: () => false,
    onChange: () => undefined,
    onConnect: () => undefined,
    stateDir,
    openHotkeys: () => ({ setHotkeys: () => undefined }),
    onDisconnect: () => undefined,
  };
  const runner = createScriptRunner(context, options.limits);
  onTestFinished(async () => {
    await runner.stop();
    rmSync(stateDir, { recursive: true });
  });
  const start = runner.command.run as (data: { name: string; text: string }) => Promise<object>;
  return {
    stateDir,
    drivers,
    sent,
    start: (name: string, text: string) => start({ name, text }),
    setAnswer: (next: () => Promise<object>) => {
      answer = next;
    },
    takeResult: async (): Promise<string> => {
      await waitFor('the result is sent', () => sent.length > 0);
      return sent.shift()?.text ?? '';
    },
    restart: () => createScriptRunner(context, options.limits),
  };
}

test('a script runs, and its exit code and output are reported', async () => {
  const { start, takeResult } = createRunner();
  await start('hello.sh', 'echo out; echo err >&2; exit 3');
  expect(await takeResult()).toBe('hello.sh: exit code 3\nout\nerr');
});

test('scripts in JavaScript run on the agent’s own Node', async () => {
  const { start, takeResult } = createRunner();
  await start('hello.mjs', 'console.log(import.meta.url.endsWith("hello.mjs"))');
  expect(await takeResult()).toBe('hello.mjs: exit code 0\ntrue');
});

test('each script has a folder of its own that is not deleted', async () => {
  const { start, takeResult, stateDir } = createRunner();
  await start('note.sh', 'pwd; echo kept >> note.txt');
  expect(await takeResult()).toBe(`note.sh: exit code 0\n${join(stateDir, 'scripts', 'note.sh')}`);
  await start('note.sh', 'echo again >> note.txt');
  await takeResult();
  expect(readFileSync(join(stateDir, 'scripts', 'note.sh', 'note.txt'), 'utf8')).toBe('kept\nagain\n');
});

test('a script gets only the environment variables that it needs', async () => {
  process.env['PEGBOARD_SECRET'] = 'hidden';
  onTestFinished(() => void delete process.env['PEGBOARD_SECRET']);
  const { start, takeResult } = createRunner();
  await start('env.sh', 'env');
  const variables = await takeResult();
  expect(variables).toMatch(/^PATH=/m);
  expect(variables).not.toMatch(/hidden|VITEST|NODE_/);
});

test('scripts are refused unless the owner of the computer allows them', async () => {
  const { start } = createRunner({ scripts: false });
  await expect(start('a.sh', 'exit 0')).rejects.toThrow('--allow-scripts');
});

test.each(['program.exe', 'noextension', '.sh.', 'constructor', 'a.__proto__'])('%s is not run', async (name) => {
  const { start } = createRunner();
  await expect(start(name, 'exit 0')).rejects.toThrow(Refusal);
});

test.each(['../up.sh', 'a/b.sh', 'a\\b.sh', '..', '.', '', 'a\nb.sh', `${'x'.repeat(300)}.sh`])(
  'the name %j is refused',
  async (name) => {
    const { start } = createRunner();
    await expect(start(name, 'exit 0')).rejects.toThrow(Refusal);
  },
);

test('only one script runs at a time', async () => {
  const { start, takeResult } = createRunner();
  await start('long.sh', 'read line < /dev/zero & wait');
  await expect(start('second.sh', 'exit 0')).rejects.toThrow('still running');
  expect(await Promise.race([takeResult(), Promise.resolve('running')])).toBe('running');
});

test('at its time limit a script is stopped with all its child processes', async () => {
  const { start, takeResult, stateDir } = createRunner({ limits: { timeMs: 6000, outputBytes: 65_536 } });
  await start('long.sh', 'trap "" TERM; sleep 1000 & echo $! > child; echo started; while :; do sleep 1000; done');
  expect(await takeResult()).toBe('long.sh: stopped after the time limit of 6 s\nstarted');
  const child = Number(readFileSync(join(stateDir, 'scripts', 'long.sh', 'child'), 'utf8'));
  await waitFor('its child process has ended', () => {
    try {
      process.kill(child, 0);
      return false;
    } catch {
      return true;
    }
  });
});

test('background processes of a script do not delay the result', async () => {
  const { start, takeResult } = createRunner();
  await start('back.sh', 'sleep 1000 & echo done');
  expect(await takeResult()).toBe('back.sh: exit code 0\ndone');
});

test('a program started with setsid stays, and is not waited for', async () => {
  const { start, takeResult, stateDir } = createRunner();
  await start(
    'app.sh',
    'setsid sleep 1000 & echo $! > child; until [ "$(cut -d" " -f6 /proc/$!/stat)" = $! ]; do sleep 0.01; done; echo done',
  );
  expect(await takeResult()).toBe('app.sh: exit code 0\ndone');
  const child = Number(readFileSync(join(stateDir, 'scripts', 'app.sh', 'child'), 'utf8'));
  expect(process.kill(child, 'SIGKILL')).toBe(true);
});

test('only the last 4 KB of a large output are reported, and the script is stopped at 64 KiB', async () => {
  const { start, takeResult } = createRunner();
  await start('much.sh', 'i=0; while [ $i -lt 1000 ]; do echo "line $i é"; i=$((i+1)); done');
  const output = await takeResult();
  expect(output).toMatch(/^much\.sh: exit code 0\n/);
  expect(output).toMatch(/line 999 é$/);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(4096 + 100);
  expect(output).not.toContain('\ufffd');
  await start('flood.sh', 'while :; do echo flood; done');
  expect(await takeResult()).toMatch(/^flood\.sh: stopped after the output limit of 64 KiB\n/);
});

test('a result that the server does not accept is sent later with the same key, also after a restart', async () => {
  const { start, setAnswer, sent, restart } = createRunner();
  const attempt = Promise.withResolvers<void>();
  setAnswer(() => {
    attempt.resolve();
    return Promise.reject(new CallError(0, 'The server cannot be reached'));
  });
  await start('a.sh', 'echo kept');
  await attempt.promise;
  setAnswer(async () => ({}));
  const restartedRunner = restart();
  await waitFor('the result is sent', () => sent.length > 0);
  expect(sent[0]?.text).toBe('a.sh: exit code 0\nkept');
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  await restartedRunner.stop();
});

test('with --confirm each content waits once for approval on the computer', async () => {
  const { start, takeResult, drivers, stateDir } = createRunner({ confirm: true });
  await expect(start('a.sh', 'echo one')).rejects.toThrow('agent approve a.sh');
  expect(drivers.actions).toContainEqual(expect.objectContaining({ kind: 'show' }));
  expect(() => approveScript(stateDir, 'b.sh')).toThrow(Refusal);
  approveScript(stateDir, 'a.sh');
  await start('a.sh', 'echo one');
  expect(await takeResult()).toBe('a.sh: exit code 0\none');
  await expect(start('a.sh', 'echo two')).rejects.toThrow('agent approve a.sh');
});

test('a sent script runs on the device, and its result appears in the conversation', async () => {
  await using server = await startServer();
  const account = await server.createAccount('anna');
  await using device = await startDevice(server, account);
  await account.call(fileupload, { content: { name: 'hello.sh', text: 'echo hello; exit 4' } });
  await account.call(keyboardinput, {
    content: { inputtype: 3, inputValue: '[[file]]hello.sh', target: device.target, timesent: 1_800_000_000 },
  });
  await waitFor('the message has arrived', async () => {
    const { messages, sentby } = await account.call(retrievemessages, { content: { target: device.target } });
    return messages.includes('hello.sh: exit code 4\nhello') && sentby.includes(device.name);
  });
});
