import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { isHeldInput, parseInputMethod, type HeldInput, type ReplacedInputMethod } from './heldInputs.ts';
import { createReleaser, type Guarded } from './releaser.ts';

/** If an agent that holds something sends nothing for this long, it hangs. Everything is released within 2 s. */
const HEARTBEAT_TIMEOUT_MS = 1250;
const CHECK_INTERVAL_MS = 100;
/** A guardian that ends soon after its start is started again after a delay that doubles. */
const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 60_000;

const parseHeldInputs = (text: string): readonly HeldInput[] => text.split(' ').filter(isHeldInput);

/** Restores the input method that a killed agent had replaced. */
async function restoreInputMethod({ address, engine }: ReplacedInputMethod): Promise<void> {
  const { restoreEngine } = await import('./gnome/ibusProtocol.ts');
  await restoreEngine(address, engine);
}

const PID_VARIABLE = 'PEGBOARD_GUARDED_PID';
const INPUT_FILE_VARIABLE = 'PEGBOARD_INPUT_FILE';
const FAKE_INPUT_VARIABLE = 'PEGBOARD_GUARDED_FAKE_INPUT';
const WAYLAND_SOCKET_VARIABLE = 'PEGBOARD_GUARDED_WAYLAND_SOCKET';
/** The first descriptor after those of standard input, output and errors. */
const PASSED_DESCRIPTOR = 3;

/** Returns what a guardian watches, from the environment that `startGuardian` gives it. */
export function readGuarded(env: NodeJS.ProcessEnv): Guarded {
  if (process.platform === 'darwin') return 'mac';
  const heldPath = env[INPUT_FILE_VARIABLE];
  if (heldPath) return { heldPath };
  const pid = Number(env[PID_VARIABLE]);
  const objectId = Number(env[FAKE_INPUT_VARIABLE]);
  const fakeInput = objectId > 0 ? { descriptor: PASSED_DESCRIPTOR, objectId } : undefined;
  const waylandSocket = env[WAYLAND_SOCKET_VARIABLE];
  return pid > 0 ? { pid, fakeInput, waylandSocket } : { display: env['DISPLAY'] ?? '' };
}

/** Returns the variables from which `readGuarded` reads. */
function formatGuarded(guarded: Guarded): NodeJS.ProcessEnv {
  if (guarded === 'mac') return {};
  if ('heldPath' in guarded) return { [INPUT_FILE_VARIABLE]: guarded.heldPath };
  if ('display' in guarded) return { DISPLAY: guarded.display };
  const { pid, fakeInput, waylandSocket } = guarded;
  return {
    [PID_VARIABLE]: String(pid),
    ...(fakeInput ? { [FAKE_INPUT_VARIABLE]: String(fakeInput.objectId) } : {}),
    ...(waylandSocket === undefined ? {} : { [WAYLAND_SOCKET_VARIABLE]: waylandSocket }),
  };
}

const IGNORED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

const ignore = (): void => undefined;

function ignoreSignals(): Disposable {
  for (const signal of IGNORED_SIGNALS) process.on(signal, ignore);
  return {
    [Symbol.dispose]: () => {
      for (const signal of IGNORED_SIGNALS) process.off(signal, ignore);
    },
  };
}

/**
 * Runs the guardian: a process that receives each press in advance and releases everything when the agent ends (its
 * end of the pipe closes, even after kill -9) or hangs. Resolves when there is nothing left to guard.
 */
export async function runGuardian(guarded: Guarded, input: Readable): Promise<void> {
  // The guardian must not end before the agent does.
  using _signals = ignoreSignals();
  const releaser = createReleaser(guarded);
  const held = new Set<HeldInput>();
  let scratch: readonly string[] = [];
  let inputMethod: ReplacedInputMethod | undefined;
  let lastLineAt = performance.now();
  /** Whether the agent may hold more than it reported. */
  let isUncertain = false;
  let releasing: Promise<void> | undefined;

  function handleLine(line: string): void {
    lastLineAt = performance.now();
    isUncertain = releaser.listUnreported !== undefined;
    const text = line.slice(1);
    if (line.startsWith('i')) {
      inputMethod = parseInputMethod(text);
      return;
    }
    for (const item of parseHeldInputs(text)) {
      if (line.startsWith('+')) held.add(item);
      else held.delete(item);
    }
    if (line.startsWith('s')) scratch = text.split(' ').filter(Boolean);
  }
  const isSilent = (): boolean =>
    (held.size > 0 || inputMethod !== undefined || isUncertain) &&
    performance.now() - lastLineAt >= HEARTBEAT_TIMEOUT_MS;
  const listHeld = (): ReadonlySet<HeldInput> => new Set([...held, ...(releaser.listUnreported?.() ?? [])]);
  function releaseIfSilent(): void {
    if (!isSilent()) return;
    const items = [...listHeld()];
    held.clear();
    isUncertain = false;
    if (items.length === 0 && inputMethod === undefined) return;
    releasing = releaser.release(items).catch(() => undefined); // without a display or a process no key is down
  }
  let secondCheck: NodeJS.Immediate | undefined;
  const checkTimer = setInterval(() => {
    // Lines that arrived while this process was suspended are read first.
    if (isSilent()) secondCheck = setImmediate(releaseIfSilent);
  }, CHECK_INTERVAL_MS);

  for await (const line of createInterface({ input })) handleLine(line);

  clearInterval(checkTimer);
  clearImmediate(secondCheck);
  await releasing;
  await releaser.cleanUp(listHeld(), scratch);
  // Without IBus, nothing is left to restore.
  if (inputMethod) await restoreInputMethod(inputMethod).catch(() => undefined);
}

/** How to start the guardian; usually the agent's own file with `--guardian`. */
export interface GuardianCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Called with the process id of each guardian. */
  readonly onStart?: (pid: number) => void;
}

export interface Guardian {
  readonly send: (line: string) => void;
  /** Closes the pipe. The guardian then releases what it knows to be held, and exits. */
  readonly close: () => void;
}

/** Starts the guardian, and restarts it if it ends. `listState` returns the lines that a new one must know. */
export function startGuardian(
  command: GuardianCommand,
  guarded: Guarded,
  listState: () => readonly string[],
): Guardian {
  const fakeInput = guarded !== 'mac' && 'pid' in guarded ? guarded.fakeInput : undefined;
  let isClosed = false;
  let child: ChildProcess;
  let restartDelayMs = MIN_RESTART_DELAY_MS;

  const sendLine = (line: string): void => void child.stdin?.write(`${line}\n`);
  function start(): void {
    child = spawn(command.program, [...command.args], {
      stdio: ['pipe', 'ignore', 'inherit', ...(fakeInput ? [fakeInput.descriptor] : [])],
      detached: true,
      windowsHide: true,
      env: { ...process.env, ...formatGuarded(guarded) },
    });
    // Writing to a dead guardian fails. Its `exit` follows, and the next one gets the whole state.
    child.stdin?.on('error', () => undefined);
    child.on('error', () => undefined);
    child.unref();
    if (child.pid !== undefined) command.onStart?.(child.pid);
    const startedAt = performance.now();
    child.once('exit', () => {
      if (isClosed) return;
      const hasRun = performance.now() - startedAt >= MAX_RESTART_DELAY_MS;
      const delayMs = hasRun ? MIN_RESTART_DELAY_MS : restartDelayMs;
      restartDelayMs = Math.min(MAX_RESTART_DELAY_MS, 2 * delayMs);
      setTimeout(restart, delayMs).unref();
    });
  }
  function restart(): void {
    if (isClosed) return;
    start();
    for (const line of listState()) sendLine(line);
  }
  start();
  return {
    send: sendLine,
    close: () => {
      isClosed = true;
      child.stdin?.end();
    },
  };
}
