import type { ChildProcess } from 'node:child_process';
import { createJobObject } from './drivers/windows/jobObject.ts';

/** A process and everything that it started, except what left the group on purpose. */
export interface ProcessGroup {
  /** Asks the processes to end. Windows can't ask, so they end at once there. */
  readonly terminate: () => void;
  readonly kill: () => void;
  /** Call this when the group is not needed any more. */
  readonly close: () => void;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: no process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns the group of a process that was just started, with `detached` except on Windows. */
export function createProcessGroup(child: ChildProcess): ProcessGroup {
  const { pid } = child;
  if (process.platform !== 'win32')
    return {
      terminate: () => signalGroup(pid, 'SIGTERM'),
      kill: () => signalGroup(pid, 'SIGKILL'),
      close: () => undefined,
    };
  // An older Node ends only the process itself.
  const canCreateJob = pid !== undefined && process.getBuiltinModule('node:ffi') !== undefined;
  const job = canCreateJob ? createJobObject(pid) : undefined;
  const kill = (): void => void (job ? job.kill() : child.kill());
  return { terminate: kill, kill, close: () => job?.close() };
}
