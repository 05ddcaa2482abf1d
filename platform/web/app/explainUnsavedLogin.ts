import { formatSecureOrigin } from '../browser/secureContext.ts';
import { accountClient } from './account.ts';
import { notices } from './notices.ts';

/** Returns the login page over HTTPS, or undefined if the server has no HTTPS listener. */
const findSecureAddress = async (): Promise<string | undefined> => {
  const { https } = await accountClient.fetchServerInfo();
  return https && `${formatSecureOrigin(location.hostname, https.port)}/login`;
};

/** Explains why the login was not stored: over HTTP, browsers don't replace a `Secure` cookie of the same name. */
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
