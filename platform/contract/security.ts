/** Names of security events in the log (docs/security.md). */
export const SECURITY_EVENTS = [
  'login.failed',
  'login.throttled',
  'login.new_browser',
  'secondfactor.failed',
  'secondfactor.added',
  'secondfactor.removed',
  'recoverycode.used',
  'recoverycode.made',
  'session.revoked',
  'signon.linked',
  'signon.unlinked',
  'account.suspended',
  'account.restored',
  'invitation.made',
  'invitation.revoked',
  'invitation.used',
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
