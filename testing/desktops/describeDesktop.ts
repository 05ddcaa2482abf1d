import { describe, expect, test } from 'vitest';
import type { DesktopSystem } from '../kits/desktop/chroot.ts';

export interface DesktopNeeds {
  /** What is missing on this machine, and how to install it; undefined if nothing is. */
  readonly missing: string | undefined;
  /** Whether only `npm run test:desktops -- --all` tests it. */
  readonly isExtra?: boolean;
}

/**
 * Decides what a run does with the tests of a desktop. `run.ts` sets ALL_DESKTOPS; without it, a test file was started
 * alone and tests what is there.
 */
export function decideDesktop(
  { missing, isExtra = false }: DesktopNeeds,
  { ALL_DESKTOPS: all, CI: ci }: NodeJS.ProcessEnv,
): 'run' | 'skip' | 'fail' | 'leave out' {
  if (isExtra && all === 'false') return 'leave out';
  if (missing === undefined) return 'run';
  return all === 'true' || (ci === 'true' && !isExtra) ? 'fail' : 'skip';
}

/** Defines the tests of a desktop. If it is missing and must not be skipped, one test fails and names the reason. */
export function describeDesktop(name: string, needs: DesktopNeeds, defineTests: () => void): void {
  const { missing = '' } = needs;
  switch (decideDesktop(needs, process.env)) {
    case 'run':
      describe(name, defineTests);
      break;
    case 'skip':
      describe.skip(`${name}: ${missing}`, defineTests);
      break;
    case 'fail':
      test(`${name} is installed`, () => expect.fail(missing));
      break;
    case 'leave out':
  }
}

/** Defines the tests of each version of a desktop. Only `--all` runs those that are in folders. */
export function describeVersions(
  name: string,
  systems: readonly DesktopSystem[],
  getMissing: (system: DesktopSystem) => string | undefined,
  defineTests: (system: DesktopSystem) => void,
): void {
  for (const system of systems)
    describeDesktop(
      `${name} ${system.version}`,
      { missing: getMissing(system), isExtra: system.folder !== undefined },
      () => defineTests(system),
    );
}
