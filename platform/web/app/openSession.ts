import { session, type Session } from './session.ts';

/** Takes over a new session, and says so where the browser refused to keep its cookie (contract.md section 3). */
export function openSession(next: Session, days: number | undefined): void {
  if (!session.start(next, days))
    void import('./explainUnsavedLogin.ts').then(({ showLoginNotStored }) => showLoginNotStored());
}
