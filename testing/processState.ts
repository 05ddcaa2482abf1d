import { vi } from 'vitest';

/**
 * Saves the state of the process before a test file, and returns a function that restores it.
 * The next file runs in the same process, and leftovers of a failed test must not fail its tests.
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
