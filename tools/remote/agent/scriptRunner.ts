import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID, createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  writeFileSync,
  existsSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { delimiter, extname, join } from 'node:path';
import * as z from 'zod/mini';
import { handleCommand, type AgentContext, type CommandHandler } from '#platform/agent/tool.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { runScript } from '../contract.ts';
import { openOutbox } from './outbox.ts';

/** SHA-256 of contents: those approved, and by name those that were asked for and wait. */
const approvalFile = z.object({ approved: z.array(z.string()), waiting: z.record(z.string(), z.string()) });
type Approvals = z.output<typeof approvalFile>;

const pathIn = (stateDir: string): string => join(stateDir, 'approvals.json');

const load = (stateDir: string): Approvals => {
  const path = pathIn(stateDir);
  return existsSync(path) ? approvalFile.parse(JSON.parse(readFileSync(path, 'utf8'))) : { approved: [], waiting: {} };
};

const save = (stateDir: string, approvals: Approvals): void => {
  const path = pathIn(stateDir);
  writeFileSync(`${path}.part`, JSON.stringify(approvals), { mode: 0o600 });
  renameSync(`${path}.part`, path);
};

/**
 * Where the agent runs with `--confirm`, every content is approved once on the computer itself.
 * @throws Refusal until it is; the person at the computer is asked by a notification.
 */
export async function refuseUnapproved(ground: AgentContext, name: string, text: string): Promise<void> {
  const { stateDir, drivers, print, isConfirmationRequired } = ground;
  if (!isConfirmationRequired) return;
  const digest = createHash('sha256').update(text).digest('hex');
  const approvals = load(stateDir);
  if (approvals.approved.includes(digest)) return;
  save(stateDir, { ...approvals, waiting: { ...approvals.waiting, [name]: digest } });
  const question = `Script '${name}' wants to run. To allow it: agent approve ${name}`;
  print(question);
  if (drivers.notifications.ability.able) await drivers.notifications.show('Pegboard', question);
  throw new Refusal(`'${name}' waits for approval on that computer: agent approve ${name}`);
}

/** Approves the content that was asked for last under that name. @throws Refusal when there is none. */
export function approveScript(stateDir: string, name: string): void {
  const { approved, waiting } = load(stateDir);
  const digest = Object.hasOwn(waiting, name) ? waiting[name] : undefined;
  if (digest === undefined) throw new Refusal(`No script '${name}' waits for approval`);
  const rest = Object.fromEntries(Object.entries(waiting).filter(([other]) => other !== name));
  save(stateDir, { approved: [...approved, digest], waiting: rest });
}

/** A script's time, and what it may write. */
export interface ScriptLimits {
  readonly timeMs: number;
  readonly outputBytes: number;
}
const LIMITS: ScriptLimits = { timeMs: 60_000, outputBytes: 64 * 1024 };
/** Of the output so much comes back, the last of it. */
const TAIL_BYTES = 4 * 1024;
/** What file systems take. */
const NAME_LIMIT_BYTES = 255;
/** Between asking a script to end and ending it. */
const GRACE_MS = 1000;

/** Who runs what; an extension that is not here is refused. The first program that there is. */
const interpreters: Readonly<Record<string, readonly string[]>> = {
  '.sh': ['bash', 'sh'],
  '.bash': ['bash', 'sh'],
  '.py': ['python3'],
  '.js': ['node'],
  '.mjs': ['node'],
};

/** What a script sees of the environment: its owner's desktop, and nothing of ours. */
const passedOn =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+)$/;

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const findInterpreter = (name: string): string => {
  const extension = extname(name).toLowerCase();
  const programs = Object.hasOwn(interpreters, extension) ? (interpreters[extension] ?? []) : [];
  if (programs.length === 0)
    throw new Refusal(`Scripts end in ${Object.keys(interpreters).join(', ')}; that computer does not run '${name}'`);
  if (programs.includes('node')) return process.execPath;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const found = programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isProgram);
  if (found === undefined) throw new Refusal(`That computer has no ${programs.join(' or ')} to run '${name}' with`);
  return found;
};

/** The server checks names too; this computer does not take its word for it. */
const refuseUnsafeName = (name: string): void => {
  if (/[/\\\p{Cc}]/u.test(name) || ['', '.', '..'].includes(name)) throw new Refusal('That is no name for a script');
  if (Buffer.byteLength(name) > NAME_LIMIT_BYTES)
    throw new Refusal('That name is too long for a file on that computer');
};

/** Keeps the last bytes of what a script writes, and counts all of it. */
const createTail = () => {
  let kept = Buffer.alloc(0);
  let total = 0;
  return {
    add: (chunk: Buffer): number => {
      kept = Buffer.concat([kept, chunk]).subarray(-TAIL_BYTES);
      total += chunk.length;
      return total;
    },
    /** A character cut in half at the beginning is left out. */
    text: (): string => {
      const start = total > kept.length ? kept.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0;
      return kept.subarray(Math.max(start, 0)).toString('utf8');
    },
  };
};

const started = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(new Refusal('That computer could not start the script', { cause })));
  });

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: nobody of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

export interface ScriptRunner {
  readonly command: CommandHandler;
  readonly stop: () => Promise<void>;
}

/** Runs the scripts that the server sends, one at a time, where this computer's owner allows it; the end comes back as a message. */
export function scriptRunner(ground: AgentContext, limits: ScriptLimits = LIMITS): ScriptRunner {
  const { allowed, stateDir, print } = ground;
  const outbox = openOutbox(ground);
  let running: { readonly end: (why: string) => void; readonly ended: Promise<void> } | undefined;

  const watch = (child: ChildProcess, name: string): NonNullable<typeof running> => {
    const tail = createTail();
    let reason: string | undefined;
    let grace: NodeJS.Timeout | undefined;
    const end = (why: string): void => {
      if (reason !== undefined) return;
      reason = why;
      signalGroup(child, 'SIGTERM');
      grace = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const limit = setTimeout(() => end(`ended after ${limits.timeMs / 1000} s, its limit`), limits.timeMs);
    const take = (chunk: Buffer): void => {
      if (tail.add(chunk) > limits.outputBytes) end(`ended at ${limits.outputBytes / 1024} KiB of output, its limit`);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    const ended = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        clearTimeout(limit);
        // Background processes of the script go with it; one that left its group (setsid) stays, and is not waited for.
        if (reason === undefined) signalGroup(child, 'SIGTERM');
        clearTimeout(grace);
        grace = setTimeout(() => {
          signalGroup(child, 'SIGKILL');
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, GRACE_MS);
        child.once('close', () => {
          clearTimeout(grace);
          running = undefined;
          const how = reason ?? (signal === null ? `exit code ${code ?? 'unknown'}` : `ended by ${signal}`);
          outbox.post(randomUUID(), `${name}: ${how}\n${tail.text()}`.trimEnd());
          print(`Script '${name}': ${how}`);
          resolve();
        });
      });
    });
    return { end, ended };
  };

  const run = async (name: string, text: string): Promise<void> => {
    if (!allowed.scripts)
      throw new Refusal('Scripts are switched off on that computer; its agent needs --allow-scripts');
    refuseUnsafeName(name);
    const interpreter = findInterpreter(name);
    if (running) throw new Refusal('A script is still running on that computer');
    await refuseUnapproved(ground, name, text);
    const folder = join(stateDir, 'scripts', name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    chmodSync(file, 0o600);
    print(`Script '${name}' starts`);
    const child = spawn(interpreter, [file], {
      cwd: folder,
      env: environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await started(child);
    running = watch(child, name);
  };

  return {
    command: handleCommand(runScript, async ({ name, text }) => {
      await run(name, text);
      return {};
    }),
    stop: async () => {
      running?.end('ended, as the agent stopped');
      await running?.ended;
      outbox.stop();
    },
  };
}
