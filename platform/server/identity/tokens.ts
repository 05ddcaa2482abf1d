import { hash, randomBytes } from 'node:crypto';

const prefixes = { person: 'pgu_', device: 'pgd_' } as const;
const shape = /^pg[ud]_[\w-]{43}$/;

/** A new secret of 256 bits, as text that fits into headers, cookies and addresses. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function generateToken(kind: 'person' | 'device'): string {
  return prefixes[kind] + generateSecret();
}

export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Whether the text could be a token of ours at all. */
export function isToken(text: string): boolean {
  return shape.test(text);
}

/** What is stored of a token. It has 256 bits of entropy, so a fast hash is enough (reliability.md section 2). */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
