import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { type ProcessRunner, type ProcessRequest, ProgramNotFoundError } from './childProcesses.ts';
import { killOrphanedSandboxes } from './launchPlan.ts';
import { createMediaPrograms } from './mediaPrograms.ts';
import { createProcessRunner } from './processRunner.ts';

const LIMITS = { timeoutMs: 20_000, maxCpuSeconds: 10, maxFileBytes: 1024 * 1024 };
const log = pino({ level: 'silent' });

/** Replaces a program of the system by a script of the test. */
const runScript = async (runner: ProcessRunner, text: string, overrides: Partial<ProcessRequest> = {}) =>
  runner.run({
    program: 'sh',
    args: ['-c', text, '--'],
    folder: await createTempFolder(),
    limits: LIMITS,
    ...overrides,
  });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const unsandboxed = createProcessRunner({ log, sandbox: 'off' });

test('a program gets its arguments unchanged, and its output and exit code are returned', async () => {
  const hostile = ['$(id)', '; rm -rf /', '--exec=id', '\'"`|&\n', '', '–‮ü'];
  const lines: string[] = [];
  const { exitCode, output, errorOutput, exceededLimit } = await runScript(
    unsandboxed,
    'for a; do printf "<%s>" "$a"; done; echo; echo e >&2; exit 3',
    {
      args: ['-c', 'for a; do printf "<%s>" "$a"; done; echo; echo e >&2; exit 3', '--', ...hostile],
      onLine: (line) => lines.push(line),
    },
  );
  expect({ code: exitCode, output, errors: errorOutput, stopped: exceededLimit }).toEqual({
    code: 3,
    output: `${hostile.map((arg) => `<${arg}>`).join('')}\n`,
    errors: 'e\n',
    stopped: undefined,
  });
  expect(lines.join('\n')).toBe(output.trimEnd());
});

test('a program has six variables of ours, and none of the server', async () => {
  process.env['DATABASE_URL'] = 'postgres://secret';
  onTestFinished(() => void delete process.env['DATABASE_URL']);
  const folder = await createTempFolder();
  const { output } = await unsandboxed.run({ program: 'env', args: [], folder, limits: LIMITS });
  expect(
    Object.fromEntries(
      output
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ),
  ).toEqual({
    PATH: expect.stringContaining('/usr/bin'),
    HOME: folder,
    TMPDIR: folder,
    XDG_CONFIG_HOME: folder,
    XDG_CACHE_HOME: folder,
    LANG: 'C.UTF-8',
  });
});

test.each(['try', 'off'] as const)(
  'a program gains no rights, writes no core dump, and has low priority (sandbox: %s)',
  async (sandbox) => {
    const { output } = await runScript(
      createProcessRunner({ log, sandbox }),
      'grep NoNewPrivs /proc/self/status; ulimit -c; ulimit -n; nice',
    );
    const niceness = Math.min(19, getPriority() + 10);
    expect(output.split(/\s+/).filter(Boolean)).toEqual(['NoNewPrivs:', '1', '0', '256', String(niceness)]);
  },
);

test.each(['try', 'off'] as const)(
  'with autogroup, the session of a program has a lower priority than the server (sandbox: %s)',
  async (sandbox) => {
    if (!existsSync('/proc/self/autogroup')) return;
    const { output } = await runScript(
      createProcessRunner({ log, sandbox }),
      'until grep "nice 5" /proc/self/autogroup; do sleep 0.01; done',
    );
    // Undefined if our process is only in the first session of the machine.
    const [serverAutogroup] = readFileSync('/proc/self/autogroup', 'utf8').split(' ');
    expect(output).toMatch(/^\/autogroup-\d+ nice 5\n$/);
    expect(output.split(' ')[0]).not.toBe(serverAutogroup);
  },
);

/** A process runner with manual timers. */
function createManualRunner() {
  const timers = createManualTimers();
  return { timers, processRunner: createProcessRunner({ log, sandbox: 'off', timers }) };
}

test.each([
  ['wall time', 'sleep 60', { timeoutMs: 2000 }, 'time'],
  ['silence', 'echo a; sleep 60', { maxIdleMs: 2000 }, 'silence'],
  ['output', 'yes', { maxOutputBytes: 100_000 }, 'output'],
])('too much %s ends the program, with all its child processes', async (_name, text, limits, exceeded) => {
  const { timers, processRunner } = createManualRunner();
  let grandchild = 0;
  const result = await runScript(processRunner, `sleep 61 & echo pid $!; ${text}`, {
    limits: { ...LIMITS, ...limits },
    onLine: (line) => {
      if (!line.startsWith('pid ')) return;
      grandchild = Number(line.slice(4));
      if (exceeded !== 'output') timers.advance(2000);
    },
  });
  expect(result.exceededLimit).toBe(exceeded);
  expect(grandchild).toBeGreaterThan(0);
  await expect.poll(() => isAlive(grandchild)).toBe(false);
});

test('a program that writes output is not silent', async () => {
  const { timers, processRunner } = createManualRunner();
  const folder = await createTempFolder();
  const text = 'for i in 1 2 3 4 5 6; do echo $i; until [ -e $i ]; do sleep 0.01; done; done';
  const { exceededLimit, exitCode } = await runScript(processRunner, text, {
    folder,
    limits: { ...LIMITS, maxIdleMs: 2000 },
    onLine: (line) => {
      timers.advance(1500);
      writeFileSync(join(folder, line), '');
    },
  });
  expect([exceededLimit, exitCode]).toEqual([undefined, 0]);
});

test('too much processor time and too large files end a program', async () => {
  const busy = await runScript(unsandboxed, 'while :; do :; done', { limits: { ...LIMITS, maxCpuSeconds: 1 } });
  expect(busy.signal).toMatch(/SIGXCPU|SIGKILL/);
  const writer = await unsandboxed.run({
    program: 'dd',
    args: ['if=/dev/zero', 'of=large', 'bs=64k', 'count=100'],
    folder: await createTempFolder(),
    limits: LIMITS,
  });
  expect(writer.signal).toBe('SIGXFSZ');
});

test('an aborted program has ended when the abort is reported, with its background processes', async () => {
  const abort = new AbortController();
  let grandchild = 0;
  const running = runScript(unsandboxed, 'sleep 60 & echo $!; wait', {
    signal: abort.signal,
    onLine: (line) => {
      grandchild = Number(line);
      abort.abort(new Error('enough'));
    },
  });
  await expect(running).rejects.toThrow('enough');
  await expect.poll(() => isAlive(grandchild)).toBe(false);
  await expect(runScript(unsandboxed, 'exit 0', { signal: abort.signal })).rejects.toThrow('enough');
});

test('an error of the line listener ends the program, and is reported', async () => {
  const broken = runScript(unsandboxed, 'echo a; sleep 60', {
    onLine: () => {
      throw new Error('The server could not read the request');
    },
  });
  await expect(broken).rejects.toThrow('The server could not read the request');
});

test('lines are complete, very long ones are cut, and invalid UTF-8 is tolerated', async () => {
  const lines: string[] = [];
  await runScript(
    unsandboxed,
    `printf 'a\\r\\nb'; sleep 0.1; printf 'c\\n\\377\\n'; head -c 3000000 /dev/zero | tr '\\0' x; echo; printf end`,
    {
      onLine: (line) => lines.push(line),
    },
  );
  expect(lines.map((line) => (line.length > 100 ? line.length : line))).toEqual([
    'a',
    'bc',
    '\uFFFD',
    1024 * 1024,
    'end',
  ]);
});

test('a missing program is reported as missing', async () => {
  await expect(
    unsandboxed.run({ program: 'no-such-program', args: [], folder: await createTempFolder(), limits: LIMITS }),
  ).rejects.toThrow(ProgramNotFoundError);
});

test('a computer that cannot limit programs runs none, and says what to install', async () => {
  const emptyPath = await createTempFolder();
  await writeFile(join(emptyPath, 'true'), '#!/bin/sh\n');
  await chmod(join(emptyPath, 'true'), 0o755);
  const processRunner = createProcessRunner({ log, path: emptyPath });
  expect(await processRunner.findSetupProblem()).toEqual({
    forOwner: 'Downloads and conversions need nice, which is part of Linux: apt-get install coreutils',
    forOthers: 'Downloads and conversions need nice, which is part of Linux',
  });
  await expect(runScript(processRunner, 'exit 0')).rejects.toThrow(ProgramNotFoundError);
});

test('stopping ends all programs immediately, and refuses new ones', async () => {
  const processRunner = createProcessRunner({ log, sandbox: 'off' });
  const started = Promise.withResolvers<void>();
  const running = runScript(processRunner, 'echo a; sleep 60', { onLine: () => started.resolve() });
  await started.promise;
  await processRunner.stop();
  expect((await running).signal).toBe('SIGKILL');
  await expect(runScript(processRunner, 'exit 0')).rejects.toThrow('stopping');
});

test('in the sandbox, a program sees its own folder and the system, but no network and no other processes', async () => {
  const processRunner = createProcessRunner({ log });
  const folder = await createTempFolder();
  const secret = join(await createTempFolder(), 'secret');
  await writeFile(secret, 'hidden');
  await mkdir(join(folder, 'inside'));
  const sandbox = await processRunner.getSandbox();
  const inspectSandbox = (network: boolean) =>
    processRunner.run({
      program: 'sh',
      args: [
        '-c',
        `pwd; touch made; ls; cat ${secret} /etc/shadow; ls /proc | grep -c '^[0-9]'; readlink /proc/self/ns/net; cat /proc/net/dev | wc -l`,
      ],
      folder,
      limits: LIMITS,
      network,
    });
  const { output, errorOutput } = await inspectSandbox(false);
  expect(await readdir(folder)).toEqual(['inside', 'made']);
  if (sandbox === 'no sandbox') {
    expect(output).toContain(folder);
    return;
  }
  const [pwd, ...lines] = output.trim().split('\n');
  expect([pwd, ...lines.slice(0, 2)]).toEqual(['/job', 'inside', 'made']);
  expect(errorOutput.match(/No such file/g)).toHaveLength(2);
  expect(Number(lines[2])).toBeLessThan(8);
  const serverNetwork = await readlink('/proc/self/ns/net');
  expect(lines[3]).toMatch(/^net:/);
  expect(lines[3]).not.toBe(serverNetwork);
  expect(Number(lines[4])).toBe(3); // two header lines, and loopback
  expect((await inspectSandbox(true)).output.trim().split('\n').at(-2)).toBe(serverNetwork);
});

const sandboxSkipReason = getSkipReason('bwrap');
test.skipIf(sandboxSkipReason)(
  `a configured yt-dlp can read its own files, and nothing next to them${sandboxSkipReason === undefined ? '' : ` (${sandboxSkipReason})`}`,
  async ({ skip }) => {
    const processRunner = createProcessRunner({ log });
    skip((await processRunner.getSandbox()) === 'no sandbox', 'bwrap may make no namespaces here');
    const dataDir = await createTempFolder();
    const ytdlpPath = join(dataDir, 'yt-dlp');
    const ownFolder = '"$(dirname "$0")"';
    await writeFile(
      ytdlpPath,
      `#!/bin/sh\ncat ${ownFolder}/secret.key && exit 1\ncat ${ownFolder}/_internal/version\n`,
    );
    await chmod(ytdlpPath, 0o755);
    await writeFile(join(dataDir, 'secret.key'), 'hidden');
    await mkdir(join(dataDir, '_internal'));
    await writeFile(join(dataDir, '_internal', 'version'), '2025.12.01\n');
    const programs = createMediaPrograms({ processRunner, ytdlpPath, log, now: Temporal.Now.instant });
    onTestFinished(() => programs.stop());
    expect((await programs.findYtdlp()).version).toBe('2025.12.01');
  },
);

/** Returns the fields of a process from the fourth on: parent, group, session. */
function readStat(pid: string): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').slice(1, 4).map(Number) ?? [];
  } catch {
    return []; // has ended meanwhile
  }
}

/** Lists all programs of a server: its children, and everything in their sessions. */
async function listPrograms(serverPid: number | undefined): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const processes = pids.map((pid) => ({ pid: Number(pid), stat: readStat(pid) }));
  const childPids = new Set(processes.filter(({ stat: [parent] }) => parent === serverPid).map(({ pid }) => pid));
  return processes.filter(({ stat: [, , session = 0] }) => childPids.has(session)).map(({ pid }) => pid);
}

test.each(['try', 'off'] as const)('programs end with a server that is killed (sandbox: %s)', async (sandbox) => {
  const program = fileURLToPath(new URL('../../../testing/killed/children.ts', import.meta.url));
  const server = spawn(process.execPath, [program, await createTempFolder(), sandbox], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const [sandboxKind] = (await once(createInterface(server.stdout), 'line')) as [string];
  const pids = await listPrograms(server.pid);
  // bubblewrap has two processes.
  expect(pids).toHaveLength(sandboxKind === 'bwrap' ? 3 : 1);
  server.kill('SIGKILL');
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test('orphans of a killed server are ended by the next one, which leaves those of others alone', async () => {
  const [ownFolder, otherFolder] = [await createTempFolder(), await createTempFolder()];
  const [orphan, otherProcess] = [ownFolder, otherFolder].map((folder) => {
    const child = spawn('sh', ['-c', 'read word', 'sh', '--bind', join(folder, '7'), '/job'], { argv0: 'bwrap' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  });
  if (!orphan || !otherProcess) throw new Error('nothing was started');
  const exited = once(orphan, 'exit');
  await killOrphanedSandboxes(ownFolder);
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(otherProcess.exitCode ?? otherProcess.signalCode).toBe(null);
});
