import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles } from '../../apps/server/buildStamp.ts';

/** The agent, its drivers and tools, and what the tests of desktops start. */
const SOURCES = [
  'apps/agent/**/*',
  'platform/agent/**/*',
  'tools/{*,*/*}/agent/**/*',
  'testing/{desktops,python,kits/desktop}/**/*',
  'testing/journeys/remoteJourney*',
];
const LAST_RUN = 'lastRun.json';
const EXCLUDED_FILES = ['apps/agent/dist/**', '**/*.{test,e2e}.{ts,tsx}', `**/${LAST_RUN}`];
const PATH = join(import.meta.dirname, LAST_RUN);

/** A run of all tests of the desktops that need no folder, without a failure. */
export interface LastRun {
  /** Hash of the sources that it tested. */
  readonly sources: string;
  readonly date: string;
  /** How many tests passed, by file. */
  readonly passed: Readonly<Record<string, number>>;
}

/** Hashes the sources; those of the repository by default. */
export function hashAgentSources(folder?: string): string {
  return hashFiles(SOURCES, EXCLUDED_FILES, folder);
}

/** Reads the last run; undefined if there was none. */
export function readLastRun(): LastRun | undefined {
  return existsSync(PATH) ? (JSON.parse(readFileSync(PATH, 'utf8')) as LastRun) : undefined;
}

/** Writes the last run, to be committed with what it tested. */
export function writeLastRun(run: LastRun): void {
  writeFileSync(PATH, `${JSON.stringify(run, null, 2)}\n`);
}
