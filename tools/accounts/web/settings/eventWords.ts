import type { SecurityEvent } from '#platform/contract/security.ts';

const words: Readonly<Record<SecurityEvent, string>> = {
  'login.failed': 'Wrong password',
  'login.throttled': 'Too many wrong passwords, made to wait',
  'session.revoked': 'Session ended',
  'device.paired': 'Computer paired',
  'origin.refused': "Another site's page was turned away",
  'host.refused': 'Asked for under a name that is not this server',
  'id.foreign': 'Asked for something of another account',
  'proxy.untrusted': 'Forwarded headers of an untrusted proxy, ignored',
};

interface Told {
  readonly event: SecurityEvent;
  readonly device?: string | undefined;
}

/** A security event in plain words. */
export const eventWords = ({ event, device }: Told): string =>
  device === undefined ? words[event] : `${words[event]}: ${device}`;
