import { openKernel32 } from './libraries.ts';

/** Class, size and fields of `JOBOBJECT_EXTENDED_LIMIT_INFORMATION`. */
const EXTENDED_LIMITS = 9;
const LIMITS_BYTES = 144;
const LIMIT_FLAGS = 16;
const KILL_ON_CLOSE = 0x2000;
/** What a job may do with its processes: set limits, and end them. */
const JOB_ACCESS = 0x101;
const KILLED_EXIT_CODE = 1;

/** A process and all that it starts, which end together. They end with the agent, too. */
export interface JobObject {
  readonly kill: () => void;
  /** Ends what is left, and frees the job. */
  readonly close: () => void;
}

/** Puts a process into a job; undefined if it has ended already. */
export function createJobObject(pid: number): JobObject | undefined {
  const kernel32 = openKernel32();
  const handle = kernel32.OpenProcess(JOB_ACCESS, 0, pid);
  if (handle === 0n) return undefined;
  const job = kernel32.CreateJobObjectW(null, null);
  const limits = Buffer.alloc(LIMITS_BYTES);
  limits.writeUInt32LE(KILL_ON_CLOSE, LIMIT_FLAGS);
  kernel32.SetInformationJobObject(job, EXTENDED_LIMITS, limits, LIMITS_BYTES);
  kernel32.AssignProcessToJobObject(job, handle);
  kernel32.CloseHandle(handle);
  return {
    kill: () => void kernel32.TerminateJobObject(job, KILLED_EXIT_CODE),
    close: () => void kernel32.CloseHandle(job),
  };
}
