import type { SecurityEvent } from '#platform/contract/security.ts';

const words: Readonly<Record<SecurityEvent, string>> = {
  'login.failed': 'Wrong password',
  'login.throttled': 'Too many wrong passwords, made to wait',
  'session.revoked': 'Session ended',
  'device.paired': 'Computer paired',
  'apppassword.made': 'App password made',
  'apppassword.revoked': 'App password revoked',
  'apppassword.failed': 'Wrong app password',
  'origin.refused': "Another site's page was turned away",
  'host.refused': 'Asked for under a name that is not this server',
  'id.foreign': 'Asked for something of another account',
  'proxy.untrusted': 'Forwarded headers of an untrusted proxy, ignored',
};

interface EventDetails {
  readonly event: SecurityEvent;
  readonly device?: string | undefined;
  readonly username?: string | undefined;
}

/** A security event in plain words; in the server's list one without a username is nobody's. */
export const eventWords = ({ event, device, username }: EventDetails, scope: 'own' | 'server'): string => {
  if (scope === 'server' && username === undefined && event === 'login.failed') return 'Login under an unknown name';
  return device === undefined ? words[event] : `${words[event]}: ${device}`;
};
