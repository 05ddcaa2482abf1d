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

/** SHA-256 of contents: the approved ones, and by script name the ones that wait for approval. */
const approvalFile = z.object({ approved: z.array(z.string()), waiting: z.record(z.string(), z.string()) });
type Approvals = z.output<typeof approvalFile>;

const getApprovalsPath = (stateDir: string): string => join(stateDir, 'approvals.json');

const load = (stateDir: string): Approvals => {
  const path = getApprovalsPath(stateDir);
  return existsSync(path) ? approvalFile.parse(JSON.parse(readFileSync(path, 'utf8'))) : { approved: [], waiting: {} };
};

const save = (stateDir: string, approvals: Approvals): void => {
  const path = getApprovalsPath(stateDir);
  writeFileSync(`${path}.part`, JSON.stringify(approvals), { mode: 0o600 });
  renameSync(`${path}.part`, path);
};

/**
 * With `--confirm`, each content must be approved once on this computer. Asks the person there with a notification.
 * @throws Refusal until the content is approved.
 */
export async function refuseUnapproved(context: AgentContext, name: string, text: string): Promise<void> {
  const { stateDir, drivers, print, isConfirmationRequired } = context;
  if (!isConfirmationRequired) return;
  const digest = createHash('sha256').update(text).digest('hex');
  const approvals = load(stateDir);
  if (approvals.approved.includes(digest)) return;
  save(stateDir, { ...approvals, waiting: { ...approvals.waiting, [name]: digest } });
  const question = `Script '${name}' is waiting for approval. To allow it, run: agent approve ${name}`;
  print(question);
  if (drivers.notifications.ability.able) await drivers.notifications.show('Pegboard', question);
  throw new Refusal(
    'remote.script_needs_approval',
    `'${name}' needs approval on that computer. Run there: agent approve ${name}`,
  );
}

/**
 * Approves the last requested content of a script.
 * @throws Refusal if none waits for approval.
 */
export function approveScript(stateDir: string, name: string): void {
  const { approved, waiting } = load(stateDir);
  const digest = Object.hasOwn(waiting, name) ? waiting[name] : undefined;
  if (digest === undefined)
    throw new Refusal('remote.script_not_pending', `No script '${name}' is waiting for approval`);
  const rest = Object.fromEntries(Object.entries(waiting).filter(([other]) => other !== name));
  save(stateDir, { approved: [...approved, digest], waiting: rest });
}

/** Limits of a script's run time and output. */
export interface ScriptLimits {
  readonly timeMs: number;
  readonly outputBytes: number;
}
const LIMITS: ScriptLimits = { timeMs: 60_000, outputBytes: 64 * 1024 };
/** Size of the output's end that is reported. */
const TAIL_BYTES = 4 * 1024;
/** Limit of file systems. */
const NAME_LIMIT_BYTES = 255;
/** Time between the request to end and the kill. */
const GRACE_MS = 1000;

/** Interpreters by file extension, in order of preference; other extensions are refused. */
const interpreters: Readonly<Record<string, readonly string[]>> = {
  '.sh': ['bash', 'sh'],
  '.bash': ['bash', 'sh'],
  '.py': ['python3'],
  '.js': ['node'],
  '.mjs': ['node'],
};

/** Environment variables that a script gets: those of its user's desktop, and none of ours. */
const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+)$/;

const getScriptEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_VARIABLES.test(name)));

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
    throw new Refusal(
      'remote.unsupported_script',
      `That computer can't run '${name}'. Script names must end in ${Object.keys(interpreters).join(', ')}`,
    );
  if (programs.includes('node')) return process.execPath;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const interpreter = programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isProgram);
  if (interpreter === undefined)
    throw new Refusal(
      'remote.interpreter_missing',
      `That computer has no ${programs.join(' or ')}, which '${name}' needs. Install it there`,
    );
  return interpreter;
};

/** Names are checked here again, as this computer does not trust the server. */
const refuseUnsafeName = (name: string): void => {
  if (/[/\\\p{Cc}]/u.test(name) || ['', '.', '..'].includes(name))
    throw new Refusal('remote.invalid_script_name', 'This is not a valid script name');
  if (Buffer.byteLength(name) > NAME_LIMIT_BYTES)
    throw new Refusal(
      'remote.script_name_too_long',
      'This script name is too long for that computer. Enter a shorter one',
    );
};

/** Keeps the last bytes of a script's output, and counts all of them. */
const createTail = () => {
  let tail = Buffer.alloc(0);
  let total = 0;
  return {
    add: (chunk: Buffer): number => {
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
      total += chunk.length;
      return total;
    },
    /** Omits a character that was cut at the start. */
    text: (): string => {
      const start = total > tail.length ? tail.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0;
      return tail.subarray(Math.max(start, 0)).toString('utf8');
    },
  };
};

const waitForSpawn = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new Refusal('remote.script_start_failed', 'That computer could not start the script', { cause })),
    );
  });

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: no process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

export interface ScriptRunner {
  readonly command: CommandHandler;
  readonly stop: () => Promise<void>;
}

/** Runs scripts from the server, one at a time, if the computer's owner allows it. The result is sent as a message. */
export function scriptRunner(context: AgentContext, limits: ScriptLimits = LIMITS): ScriptRunner {
  const { allowed, stateDir, print } = context;
  const outbox = openOutbox(context);
  let running: { readonly end: (endReason: string) => void; readonly ended: Promise<void> } | undefined;

  const watch = (child: ChildProcess, name: string): NonNullable<typeof running> => {
    const tail = createTail();
    let reason: string | undefined;
    let grace: NodeJS.Timeout | undefined;
    const end = (endReason: string): void => {
      if (reason !== undefined) return;
      reason = endReason;
      signalGroup(child, 'SIGTERM');
      grace = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const limit = setTimeout(() => end(`stopped after the time limit of ${limits.timeMs / 1000} s`), limits.timeMs);
    const handleOutput = (chunk: Buffer): void => {
      if (tail.add(chunk) > limits.outputBytes)
        end(`stopped after the output limit of ${limits.outputBytes / 1024} KiB`);
    };
    child.stdout?.on('data', handleOutput);
    child.stderr?.on('data', handleOutput);
    const ended = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        clearTimeout(limit);
        // Background processes of the script end with it. One that left the group (setsid) stays, but is not waited
        // for.
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
          const how = reason ?? (signal === null ? `exit code ${code ?? 'unknown'}` : `stopped by ${signal}`);
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
      throw new Refusal(
        'device.feature_off',
        'Scripts are turned off on that computer. Start its agent with --allow-scripts',
      );
    refuseUnsafeName(name);
    const interpreter = findInterpreter(name);
    if (running)
      throw new Refusal(
        'remote.script_running',
        'A script is still running on that computer. Wait until it has finished',
      );
    await refuseUnapproved(context, name, text);
    const folder = join(stateDir, 'scripts', name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    chmodSync(file, 0o600);
    print(`Script '${name}' started`);
    const child = spawn(interpreter, [file], {
      cwd: folder,
      env: getScriptEnvironment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await waitForSpawn(child);
    running = watch(child, name);
  };

  return {
    command: handleCommand(runScript, async ({ name, text }) => {
      await run(name, text);
      return {};
    }),
    stop: async () => {
      running?.end('stopped with the agent');
      await running?.ended;
      outbox.stop();
    },
  };
}
