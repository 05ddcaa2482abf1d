import { useEffect, useRef } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { useUsername } from '#platform/web/app/account.ts';
import { showError, showRepeatingError } from '#platform/web/app/failure.ts';
import { session, useSession } from '#platform/web/app/session.ts';

const nothing = (): void => undefined;

/**
 * Shows why a stored login could not be checked, and ends a refused one. Returns a function that dismisses the notice.
 */
export function showLoginFailure(error: Error): () => void {
  // An invalid token has already ended the session and shown its notice.
  if (session.getCurrent() === undefined) return nothing;
  if (!(error instanceof Refusal)) return showRepeatingError(error);
  session.expire();
  showError(error);
  return nothing;
}

/** Returns the username of a stored token. Typing another name or password does not end its session. */
export function useStoredLogin(): string | undefined {
  const { username, error } = useUsername();
  const current = useSession();
  const isChecking = current?.username === '';
  const shownNotice = useRef({ message: '', dismiss: nothing });
  useEffect(() => {
    if (!error) return;
    if (error.message !== shownNotice.current.message) shownNotice.current.dismiss();
    shownNotice.current = { message: error.message, dismiss: showLoginFailure(error) };
  }, [error]);
  // Not in the effect above: between two attempts the error is empty, and the notice would be created again.
  useEffect(() => (isChecking ? () => shownNotice.current.dismiss() : undefined), [isChecking]);
  return current === undefined ? undefined : username;
}
