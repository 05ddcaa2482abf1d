import { InvalidToken } from '#platform/contract/refusal.ts';
import { notices } from './notices.ts';

/** Shows why something was not done. A token that has ended is told, and led to the login, by the platform. */
export const showFailure = (error: unknown): void => {
  if (error instanceof InvalidToken) return;
  notices.add('bad', error instanceof Error ? error.message : String(error));
};
