import { offline } from '#platform/web/offline.ts';
import { session } from '#platform/web/session.ts';

/** Tells when somebody else than before is signed in on this page: what the one did here is nobody else's business. */
export const onOtherAccount = (tell: () => void): void => {
  let before = offline.account();
  session.subscribe(() => {
    const next = offline.account();
    const isOther = before !== undefined && next !== undefined && next !== before;
    before = next ?? before;
    if (isOther) tell();
  });
};
