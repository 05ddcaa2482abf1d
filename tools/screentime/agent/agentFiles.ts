import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';

/** Keeps this in the agent's folder, which is made where no agent ever ran: whole or not at all, and for nobody else to read. @throws Refusal */
export function writeOwn(folder: string, name: string, what: unknown): void {
  const path = join(folder, name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.part`, `${JSON.stringify(what)}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch (cause) {
    throw new Refusal(`${path} cannot be written: ${cause instanceof Error ? cause.message : 'no reason'}`, { cause });
  }
}
