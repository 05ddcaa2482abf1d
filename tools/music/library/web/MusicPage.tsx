import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { session, useSession } from '#platform/web/app/session.ts';
import { LoginForm } from '#platform/web/page/LoginForm.tsx';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { libraryOptions } from '../../web/useLibrary.ts';
import { Music } from './Music.tsx';
import styles from './MusicPage.module.css';

/** Without a token the login comes first; where it ends while the page is open, a form in place keeps the player going (contract.md section 3). */
function NotLoggedIn({ hasEnded }: { readonly hasEnded: boolean }) {
  const { pathname, search, hash, state } = useLocation();
  if (hasEnded)
    return (
      <div className={styles['login']}>
        <PageHeader title="yt mp3 downloader / manager" note="User: Not logged in" />
        <LoginForm />
      </div>
    );
  if (session.wouldAdopt(state)) return null;
  const from = session.hasLoggedOut() ? {} : { from: pathname + search + hash };
  return <Navigate to="/login" replace state={from} />;
}

/** The library is large: it is asked for while the page is not yet drawn. */
export const prefetch = (queries: QueryClient): void => {
  // Whether it comes, the page says.
  if (session.getCurrent()) queries.query(libraryOptions).catch(() => undefined);
};

/** /musicmusic, 'yt mp3 downloader / manager' (specification 2, section 2.7). */
export default function MusicPage() {
  const signedIn = useSession() !== undefined;
  const [wasSignedIn, setWasSignedIn] = useState(signedIn);
  if (signedIn && !wasSignedIn) setWasSignedIn(true);
  return (
    <div className={styles['page']} data-flush data-scroller>
      {signedIn ? <Music /> : <NotLoggedIn hasEnded={wasSignedIn && !session.hasLoggedOut()} />}
    </div>
  );
}
