import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '#testing/machine.ts';
import { getSharedFolder } from '../server/globalSetup.ts';

/**
 * Creates a yt-dlp that knows no site: comparing addresses with 1,800 sites is more than half of its work.
 * Undefined outside of a test run.
 */
export async function createFastYtdlp(): Promise<string | undefined> {
  const program = findProgram('yt-dlp') ?? 'yt-dlp';
  const text = `#!/bin/sh\nexec ${program} --use-extractors generic,html5 "$@"\n`;
  const folder = await getSharedFolder('yt-dlp', (into) => writeFile(join(into, 'yt-dlp'), text, { mode: 0o755 }));
  return folder === undefined ? undefined : join(folder, 'yt-dlp');
}
