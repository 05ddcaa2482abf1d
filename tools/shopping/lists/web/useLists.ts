import { useEffect } from 'react';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useUsername } from '#platform/web/app/username.ts';
import { listsOf, startLists } from '../../sync/web/currentLists.ts';
import type { Lists } from '../../sync/web/openLists.ts';

/** The lists of whoever is signed in; undefined until it is known who that is. */
export const useLists = (): Lists | undefined => {
  const signedIn = useSession() !== undefined;
  // Asks for the name where the token came without.
  useUsername();
  useEffect(() => offlineStorage.setAccount());
  const account = signedIn ? offlineStorage.getAccount() : undefined;
  const lists = account === undefined ? undefined : listsOf(account);
  useEffect(() => {
    if (lists) startLists(lists);
  }, [lists]);
  return lists;
};
