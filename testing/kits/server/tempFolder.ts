import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates an empty folder that is removed when the current test ends. */
export async function createTempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates an empty folder at once, which is removed when the current test ends. */
export function createTempFolderSync(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
