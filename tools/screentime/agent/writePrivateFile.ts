import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '#platform/agent/writeFileAtomically.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/**
 * Writes a file in the agent's folder atomically and readable by its owner only. Creates the folder if needed.
 * @throws Refusal if it can't be written.
 */
export function writePrivateFile(folder: string, name: string, content: unknown): void {
  const path = join(folder, name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(path, `${JSON.stringify(content)}\n`);
  } catch (cause) {
    throw new Refusal(
      'agent.file_not_writable',
      `Cannot write ${path}: ${cause instanceof Error ? cause.message : 'unknown error'}`,
      { cause },
    );
  }
}
