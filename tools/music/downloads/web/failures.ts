import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Formats why a link was not queued (docs/specification/music.md section 5); undefined if the platform shows it. */
export function formatQueueFailure(error: unknown): string | undefined {
  if (error instanceof InvalidTokenRefusal) return undefined;
  if (error instanceof Refusal) return `Failed: ${error.message}`;
  if (error instanceof CallError && error.status !== 0) return `Error: ${error.status} - ${error.message}`;
  return `Network Error: ${getMessage(error)}`;
}

/** Formats why a song or playlist could not be downloaded as a file; undefined if the platform shows it. */
export function formatSaveFailure(error: unknown): string | undefined {
  if (error instanceof InvalidTokenRefusal) return undefined;
  const message = getMessage(error);
  return message === '' ? 'Download failed' : `Download failed: ${message}`;
}
