import { session, type Session } from './session.ts';

/**
 * Starts a session, and explains it if the browser did not store the cookie.
 * Source: docs/specification/platform.md section 2.2.
 */
export function openSession(next: Session, days: number | undefined): void {
  if (!session.start(next, days))
    void import('./showLoginNotStored.ts').then(({ showLoginNotStored }) => showLoginNotStored());
}
