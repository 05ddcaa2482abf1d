import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID, createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, mkdirSync, writeFileSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, extname, join } from 'node:path';
import * as z from 'zod/mini';
import { handleCommand, type AgentContext, type CommandHandler } from '#platform/agent/tool.ts';
import { writeFileAtomically } from '#platform/agent/writeFileAtomically.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { runScript } from '../contract.ts';
import { openOutbox } from './outbox.ts';

/** SHA-256 hashes: of the approved contents, and of those that wait for approval, by script name. */
const approvalFile = z.object({ approved: z.array(z.string()), waiting: z.record(z.string(), z.string()) });
type Approvals = z.output<typeof approvalFile>;

const getApprovalsPath = (stateDir: string): string => join(stateDir, 'approvals.json');

function loadApprovals(stateDir: string): Approvals {
  const path = getApprovalsPath(stateDir);
  return existsSync(path) ? approvalFile.parse(JSON.parse(readFileSync(path, 'utf8'))) : { approved: [], waiting: {} };
}

function saveApprovals(stateDir: string, approvals: Approvals): void {
  writeFileAtomically(getApprovalsPath(stateDir), JSON.stringify(approvals));
}

/**
 * Requires an approval: with `--confirm`, each content must be approved once on this computer, which shows a
 * notification.
 * @throws Refusal until the content is approved.
 */
export async function requireApproval(context: AgentContext, name: string, text: string): Promise<void> {
  const { stateDir, drivers, print, isConfirmationRequired } = context;
  if (!isConfirmationRequired) return;
  const digest = createHash('sha256').update(text).digest('hex');
  const approvals = loadApprovals(stateDir);
  if (approvals.approved.includes(digest)) return;
  saveApprovals(stateDir, { ...approvals, waiting: { ...approvals.waiting, [name]: digest } });
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
  const { approved, waiting } = loadApprovals(stateDir);
  const digest = Object.hasOwn(waiting, name) ? waiting[name] : undefined;
  if (digest === undefined)
    throw new Refusal('remote.script_not_pending', `No script '${name}' is waiting for approval`);
  const rest = Object.fromEntries(Object.entries(waiting).filter(([other]) => other !== name));
  saveApprovals(stateDir, { approved: [...approved, digest], waiting: rest });
}

/** Limits of a script's run time and output. */
export interface ScriptLimits {
  readonly timeMs: number;
  readonly outputBytes: number;
}
const DEFAULT_LIMITS: ScriptLimits = { timeMs: 60_000, outputBytes: 64 * 1024 };
/** Only the end of the output is reported. */
const TAIL_BYTES = 4 * 1024;
/** Limit of file systems. */
const MAX_NAME_BYTES = 255;
/** Time between SIGTERM and SIGKILL. */
const KILL_DELAY_MS = 1000;

/** Interpreters by file extension, in order of preference; other extensions are refused. */
const interpretersByExtension: Readonly<Record<string, readonly string[]>> = {
  '.sh': ['bash', 'sh'],
  '.bash': ['bash', 'sh'],
  '.py': ['python3'],
  '.js': ['node'],
  '.mjs': ['node'],
};

/** A script gets the environment variables of the user's desktop, and none of the agent's. */
const PASSED_VARIABLES_PATTERN =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+)$/;

const getScriptEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_VARIABLES_PATTERN.test(name)));

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findInterpreter(name: string): string {
  const extension = extname(name).toLowerCase();
  const programs = Object.hasOwn(interpretersByExtension, extension) ? (interpretersByExtension[extension] ?? []) : [];
  if (programs.length === 0)
    throw new Refusal(
      'remote.unsupported_script',
      `That computer can't run '${name}'. Script names must end in ${Object.keys(interpretersByExtension).join(', ')}`,
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
}

/** Checks names again, as this computer does not trust the server. */
function validateName(name: string): void {
  if (/[/\\\p{Cc}]/u.test(name) || ['', '.', '..'].includes(name))
    throw new Refusal('remote.invalid_script_name', 'This is not a valid script name');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new Refusal(
      'remote.script_name_too_long',
      'This script name is too long for that computer. Enter a shorter one',
    );
}

/** Collects the last bytes of a script's output, and counts all of them. */
function createOutputTail() {
  let tail = Buffer.alloc(0);
  let total = 0;
  return {
    add: (chunk: Buffer): number => {
      tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
      total += chunk.length;
      return total;
    },
    /** Returns the text without a character that was cut at its start. */
    text: (): string => {
      const start = total > tail.length ? tail.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0;
      return tail.subarray(Math.max(start, 0)).toString('utf8');
    },
  };
}

const waitForSpawn = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new Refusal('remote.script_start_failed', 'That computer could not start the script', { cause })),
    );
  });

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // ESRCH: no process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export interface ScriptRunner {
  readonly command: CommandHandler;
  readonly stop: () => Promise<void>;
}

/** Runs scripts from the server, one at a time, if the computer's owner allows it. Sends the result as a message. */
export function createScriptRunner(context: AgentContext, limits: ScriptLimits = DEFAULT_LIMITS): ScriptRunner {
  const { allowed, stateDir, print } = context;
  const outbox = openOutbox(context);
  let runningScript: { readonly requestStop: (reason: string) => void; readonly finished: Promise<void> } | undefined;

  function watch(child: ChildProcess, name: string): NonNullable<typeof runningScript> {
    const tail = createOutputTail();
    let stopReason: string | undefined;
    let killTimer: NodeJS.Timeout | undefined;
    function requestStop(reason: string): void {
      if (stopReason !== undefined) return;
      stopReason = reason;
      signalGroup(child, 'SIGTERM');
      killTimer = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_DELAY_MS);
    }
    const timeout = setTimeout(
      () => requestStop(`stopped after the time limit of ${limits.timeMs / 1000} s`),
      limits.timeMs,
    );
    function handleOutput(chunk: Buffer): void {
      if (tail.add(chunk) > limits.outputBytes)
        requestStop(`stopped after the output limit of ${limits.outputBytes / 1024} KiB`);
    }
    child.stdout?.on('data', handleOutput);
    child.stderr?.on('data', handleOutput);
    const finished = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        clearTimeout(timeout);
        // Background processes end with the script. One that left the group (setsid) stays, but is not waited for.
        if (stopReason === undefined) signalGroup(child, 'SIGTERM');
        clearTimeout(killTimer);
        killTimer = setTimeout(() => {
          signalGroup(child, 'SIGKILL');
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, KILL_DELAY_MS);
        child.once('close', () => {
          clearTimeout(killTimer);
          runningScript = undefined;
          const outcome = stopReason ?? (signal === null ? `exit code ${code ?? 'unknown'}` : `stopped by ${signal}`);
          outbox.post(randomUUID(), `${name}: ${outcome}\n${tail.text()}`.trimEnd());
          print(`Script '${name}': ${outcome}`);
          resolve();
        });
      });
    });
    return { requestStop, finished };
  }

  async function run(name: string, text: string): Promise<void> {
    if (!allowed.scripts)
      throw new Refusal(
        'device.feature_off',
        'Scripts are turned off on that computer. Start its agent with --allow-scripts',
      );
    validateName(name);
    const interpreter = findInterpreter(name);
    if (runningScript)
      throw new Refusal(
        'remote.script_running',
        'A script is still running on that computer. Wait until it has finished',
      );
    await requireApproval(context, name, text);
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
    runningScript = watch(child, name);
  }

  return {
    command: handleCommand(runScript, async ({ name, text }) => {
      await run(name, text);
      return {};
    }),
    stop: async () => {
      runningScript?.requestStop('stopped with the agent');
      await runningScript?.finished;
      outbox.stop();
    },
  };
}
