import { formatSecureOrigin } from '../browser/secureContext.ts';
import { accountClient } from './account.ts';
import { notices } from './notices.ts';

/** The same page over https, where the server says that it serves one; undefined where it does not or gives no answer. */
const findSecureAddress = async (): Promise<string | undefined> => {
  const { https } = await accountClient.fetchServerInfo();
  return https && `${formatSecureOrigin(location.hostname, https.port)}/login`;
};

/** Says why the browser did not keep the login: over http it leaves a `Secure` cookie alone that the same name set over https. */
export async function showLoginNotStored(): Promise<void> {
  if (location.protocol === 'https:' || !navigator.cookieEnabled) {
    notices.add('bad', 'This browser keeps no cookies for this server, so the login ends with this page.');
    return;
  }
  const href = await findSecureAddress().catch(() => undefined);
  notices.add(
    'bad',
    'This browser did not keep the login: it keeps the one of the https page of the same name. Stay logged in there instead.',
    href === undefined ? undefined : { label: 'Open over https', href },
  );
}
