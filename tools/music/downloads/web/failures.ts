import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why a link was not queued, in the words of the specification (2, section 8); undefined where the platform tells it. */
export function notQueued(error: unknown): string | undefined {
  if (error instanceof InvalidTokenRefusal) return undefined;
  if (error instanceof Refusal) return `Failed: ${error.message}`;
  if (error instanceof CallError && error.status !== 0) return `Error: ${error.status} - ${error.message}`;
  return `Network Error: ${messageOf(error)}`;
}

/** The same of a song or playlist that was to be kept as a file. */
export function notKept(error: unknown): string | undefined {
  if (error instanceof InvalidTokenRefusal) return undefined;
  const message = messageOf(error);
  return message === '' ? 'Download failed' : `Download failed: ${message}`;
}
