import { hash, randomBytes } from 'node:crypto';

const TOKEN_PREFIXES = { person: 'pgu_', device: 'pgd_' } as const;
const TOKEN_PATTERN = /^pg[ud]_[\w-]{43}$/;

/** Generates a secret of 256 bits, as text that is valid in headers, cookies and addresses. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Generates a token whose prefix shows its kind. */
export function generateToken(kind: 'person' | 'device'): string {
  return TOKEN_PREFIXES[kind] + generateSecret();
}

/** Returns whether the text has the format of a secret. */
export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Returns whether the text has the format of a token. */
export function isToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** Returns the stored hash of a token. A fast hash is enough for 256 random bits (docs/adr/0022-opaque-tokens.md). */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
