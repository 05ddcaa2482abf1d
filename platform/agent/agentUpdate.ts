import { createHash } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Refusal } from '#platform/contract/refusal.ts';

const DOWNLOAD_TIMEOUT_MS = 60_000;

export const computeDigest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** SHA-256 of the agent's file; undefined where it runs from its sources. */
export const computeOwnDigest = (file: string): string | undefined =>
  file.endsWith('.mjs') ? computeDigest(readFileSync(file)) : undefined;

/**
 * Puts the server's agent in the place of this one: fetched, checked, written beside, renamed.
 * @throws Refusal where what came is not what the server announced.
 */
export const installUpdate = async (origin: string, digest: string, file: string): Promise<void> => {
  const response = await fetch(`${origin}/agent.mjs`, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok) throw new Refusal(`The newer agent could not be fetched: status ${response.status}`);
  const content = new Uint8Array(await response.arrayBuffer());
  if (computeDigest(content) !== digest)
    throw new Refusal('The newer agent is not what the server announced; it is left alone');
  const part = `${file}.part`;
  writeFileSync(part, content);
  chmodSync(part, 0o755);
  const handle = openSync(part, 'r');
  fsyncSync(handle);
  closeSync(handle);
  renameSync(part, file);
};
