import { formatSecureAddress } from '../browser/secureContext.ts';
import { accountClient } from './accountClient.ts';
import { notices } from './notices.ts';

/** Returns the login page over HTTPS, or undefined if the server has no HTTPS listener. */
async function findSecureAddress(): Promise<string | undefined> {
  const { https } = await accountClient.fetchServerInfo();
  return https && `${formatSecureAddress(location.hostname, https.port)}/login`;
}

/** Explains why the login was not stored: over HTTP, browsers don't replace a `Secure` cookie of the same name. */
export async function showLoginNotStored(): Promise<void> {
  if (location.protocol === 'https:' || !navigator.cookieEnabled) {
    notices.add(
      'bad',
      "This browser doesn't store cookies for this server, so you are logged out when you close this page",
    );
    return;
  }
  const href = await findSecureAddress().catch(() => undefined);
  notices.add(
    'bad',
    "This browser stored a login for the https page of this server, so it can't store another one here. Stay logged in over https instead",
    href === undefined ? undefined : { label: 'Open over https', href },
  );
}
