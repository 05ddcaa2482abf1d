import type { ChildProcess } from 'node:child_process';
import { openKernel32 } from './drivers/windows/libraries.ts';

/** A process and everything that it started, except what left the group on purpose. */
export interface ProcessGroup {
  /** Asks the processes to end. Windows can't ask, so they end at once there. */
  readonly terminate: () => void;
  readonly kill: () => void;
  /**
   * Call this when the first process has ended and was not stopped. Those that it started get SIGTERM, except on
   * Windows: they can't leave the group there, and may be programs that should stay open.
   */
  readonly handleEnd: () => void;
  /** Call this when the group is not needed any more. */
  readonly close: () => void;
}

/** Class, size and fields of `JOBOBJECT_EXTENDED_LIMIT_INFORMATION`. */
const EXTENDED_LIMITS = 9;
const LIMITS_BYTES = 144;
const LIMIT_FLAGS = 16;
const KILL_ON_CLOSE = 0x2000;
/** Rights of a job over its processes: to set limits, and to end them. */
const JOB_ACCESS = 0x101;
const KILLED_EXIT_CODE = 1;

/** Puts a process into a job of Windows, which ends with the agent; undefined if that is impossible. */
function createJob(pid: number): ProcessGroup | undefined {
  const kernel32 = openKernel32();
  const job = kernel32.CreateJobObjectW(null, null);
  const child = kernel32.OpenProcess(JOB_ACCESS, 0, pid);
  const limits = Buffer.alloc(LIMITS_BYTES);
  limits.writeUInt32LE(KILL_ON_CLOSE, LIMIT_FLAGS);
  const setLimits = (): boolean => kernel32.SetInformationJobObject(job, EXTENDED_LIMITS, limits, LIMITS_BYTES) !== 0;
  const isCreated = job !== 0n && child !== 0n && setLimits() && kernel32.AssignProcessToJobObject(job, child) !== 0;
  if (child !== 0n) kernel32.CloseHandle(child);
  let isOpen = job !== 0n;
  function close(): void {
    if (isOpen) kernel32.CloseHandle(job);
    isOpen = false;
  }
  function kill(): void {
    if (isOpen) kernel32.TerminateJobObject(job, KILLED_EXIT_CODE);
  }
  if (isCreated)
    return {
      terminate: kill,
      kill,
      handleEnd: () => {
        limits.writeUInt32LE(0, LIMIT_FLAGS);
        setLimits();
        close();
      },
      close,
    };
  close();
  return undefined;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: no process of the group is left. EPERM: those that are left belong to others (sudo).
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ESRCH', 'EPERM'].includes(code)) throw error;
  }
}

/** Returns the group of a process that was just started, with `detached` except on Windows. */
export function createProcessGroup(child: ChildProcess): ProcessGroup {
  const { pid } = child;
  if (process.platform !== 'win32')
    return {
      terminate: () => signalGroup(pid, 'SIGTERM'),
      kill: () => signalGroup(pid, 'SIGKILL'),
      handleEnd: () => signalGroup(pid, 'SIGTERM'),
      close: () => undefined,
    };
  const canCreateJob = pid !== undefined && process.getBuiltinModule('node:ffi') !== undefined;
  const job = canCreateJob ? createJob(pid) : undefined;
  if (job) return job;
  // Without a job, as with an older Node, only the process itself can be ended.
  const kill = (): void => void child.kill();
  return { terminate: kill, kill, handleEnd: () => undefined, close: () => undefined };
}
