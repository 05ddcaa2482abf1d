import { offlineStorage } from '#platform/web/app/offline.ts';
import { session } from '#platform/web/app/session.ts';

/** Tells when somebody else than before is signed in on this page: what the one did here is nobody else's business. */
export const onOtherAccount = (tell: () => void): void => {
  let before = offlineStorage.getAccount();
  session.subscribe(() => {
    const next = offlineStorage.getAccount();
    const isOther = before !== undefined && next !== undefined && next !== before;
    before = next ?? before;
    if (isOther) tell();
  });
};
