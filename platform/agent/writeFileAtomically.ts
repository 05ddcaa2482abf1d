import { renameSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file readable only by this user. Readers see the old or the new text, never a part. Doesn't flush to disk,
 * so a power failure can lose the new text.
 */
export function writeFileAtomically(path: string, text: string): void {
  const partialPath = `${path}.part`;
  writeFileSync(partialPath, text, { mode: 0o600 });
  renameSync(partialPath, path);
}
