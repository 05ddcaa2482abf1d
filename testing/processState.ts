import { vi } from 'vitest';

/**
 * Remembers the state of the process before a test file, and gives what restores it. The next file runs in the same process: what a failed test
 * could not put back must not fail the tests behind it.
 */
export function saveProcessState(): () => void {
  const environment = { ...process.env };
  const folder = process.cwd();
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
    for (const name of Object.keys(process.env).filter((each) => !(each in environment))) delete process.env[name];
    Object.assign(process.env, environment);
    process.chdir(folder);
    process.exitCode = undefined;
  };
}
