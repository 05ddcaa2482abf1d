/**
 * Why passkeys can't work in this page: `address` at an IP address, `insecure` over plain HTTP, `unsupported` by the
 * browser.
 */
export type PasskeyProblem = 'address' | 'insecure' | 'unsupported';

/** Returns whether a host of an address is an IP address. */
export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);
}

/** Returns why passkeys can't work in this page, or undefined if they can. */
export function findPasskeyProblem(): PasskeyProblem | undefined {
  if (isIpAddress(window.location.hostname)) return 'address';
  if (!window.isSecureContext) return 'insecure';
  return 'PublicKeyCredential' in window ? undefined : 'unsupported';
}
