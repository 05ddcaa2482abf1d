/** What app passwords are for. One of a kind opens nothing of another. */
export const APP_PASSWORD_KINDS = ['calendar', 'music'] as const;
export type AppPasswordKind = (typeof APP_PASSWORD_KINDS)[number];

/** What may happen to the security of accounts and of the server, by the names that stand in the log (reliability.md section 6). */
export const SECURITY_EVENTS = [
  'login.failed',
  'login.throttled',
  'session.revoked',
  'device.paired',
  'apppassword.made',
  'apppassword.revoked',
  'apppassword.failed',
  'origin.refused',
  'host.refused',
  'id.foreign',
  'proxy.untrusted',
] as const;

export type SecurityEvent = (typeof SECURITY_EVENTS)[number];
