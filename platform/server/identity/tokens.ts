import { hash, randomBytes } from 'node:crypto';

const prefixes = { person: 'pgu_', device: 'pgd_' } as const;
const shape = /^pg[ud]_[\w-]{43}$/;

/** A new secret of 256 bits, as text that fits into headers, cookies and addresses. */
export const generateSecret = (): string => randomBytes(32).toString('base64url');

export const generateToken = (kind: 'person' | 'device'): string => prefixes[kind] + generateSecret();

export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Whether the text could be a token of ours at all. */
export const isToken = (text: string): boolean => shape.test(text);

/** What is stored of a token. It has 256 bits of entropy, so a fast hash is enough (reliability.md section 2). */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');
