import { useEffect } from 'react';
import { forgetDrafts } from '#platform/web/draftStore.ts';
import { offline } from '#platform/web/offline.ts';
import { session } from '#platform/web/session.ts';

/** Whoever logs out leaves nothing behind in this browser; a session that has ended by itself may go on after the next login. */
export const useForgetting = (): void => {
  useEffect(() => {
    let last = offline.account();
    return session.subscribe(() => {
      const left = last;
      last = offline.account();
      if (left === undefined || session.current() || !session.wasLeftOnPurpose()) return;
      forgetDrafts(left);
      void offline.forget(left);
    });
  }, []);
};
