import { useEffect } from 'react';
import { removeDrafts } from '#platform/web/app/draftStore.ts';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { session } from '#platform/web/app/session.ts';

/** Whoever logs out leaves nothing behind in this browser; a session that has ended by itself may go on after the next login. */
export const useClearOnLogOut = (): void => {
  useEffect(() => {
    let last = offlineStorage.getAccount();
    return session.subscribe(() => {
      const left = last;
      last = offlineStorage.getAccount();
      if (left === undefined || session.getCurrent() || !session.hasLoggedOut()) return;
      removeDrafts(left);
      void offlineStorage.removeAccount(left);
    });
  }, []);
};
