import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID, createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { createProcessGroup } from '#platform/agent/processGroup.ts';
import { handleCommand, type AgentContext, type CommandHandler } from '#platform/agent/tool.ts';
import { writeFileAtomically } from '#platform/agent/writeFileAtomically.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { runScript } from '../contract.ts';
import {
  findScriptCommand,
  formatScriptFile,
  getScriptEnvironment,
  validateScriptName,
  type ScriptSystem,
} from './interpreters.ts';
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
/** Time between SIGTERM and SIGKILL. */
const KILL_DELAY_MS = 1000;

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

export interface ScriptRunner {
  readonly command: CommandHandler;
  readonly stop: () => Promise<void>;
}

/** Runs scripts from the server, one at a time, if the computer's owner allows it. Sends the result as a message. */
export function createScriptRunner(context: AgentContext, limits: ScriptLimits = DEFAULT_LIMITS): ScriptRunner {
  const { allowed, stateDir, print } = context;
  const outbox = openOutbox(context);
  const system: ScriptSystem = { platform: process.platform, env: process.env };
  let runningScript: { readonly requestStop: (reason: string) => void; readonly finished: Promise<void> } | undefined;

  function watch(child: ChildProcess, name: string): NonNullable<typeof runningScript> {
    const tail = createOutputTail();
    let stopReason: string | undefined;
    let killTimer: NodeJS.Timeout | undefined;
    const group = createProcessGroup(child);
    function requestStop(reason: string): void {
      if (stopReason !== undefined) return;
      stopReason = reason;
      group.terminate();
      killTimer = setTimeout(() => group.kill(), KILL_DELAY_MS);
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
        // Programs that stay, such as one that left the group (setsid), are not waited for.
        if (stopReason === undefined) group.handleEnd();
        clearTimeout(killTimer);
        killTimer = setTimeout(() => {
          group.kill();
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, KILL_DELAY_MS);
        child.once('close', () => {
          clearTimeout(killTimer);
          group.close();
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
    validateScriptName(name, system);
    const { program, listArgs, isVerbatim } = findScriptCommand(name, system);
    if (runningScript)
      throw new Refusal(
        'remote.script_running',
        'A script is still running on that computer. Wait until it has finished',
      );
    await requireApproval(context, name, text);
    const folder = join(stateDir, 'scripts', name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, name);
    writeFileSync(file, formatScriptFile(name, text), { mode: 0o600 });
    chmodSync(file, 0o600);
    print(`Script '${name}' started`);
    const child = spawn(program, [...listArgs(file)], {
      cwd: folder,
      env: getScriptEnvironment(system),
      // On Windows, a detached process would get a window of its own.
      detached: system.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: isVerbatim,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await waitForSpawn(child);
    runningScript = watch(child, name);
  }

  return {
    command: handleCommand(runScript, async ({ name, text }) => {
      await run(name, text);
    }),
    stop: async () => {
      runningScript?.requestStop('stopped with the agent');
      await runningScript?.finished;
      outbox.stop();
    },
  };
}
