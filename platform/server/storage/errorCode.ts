import { Refusal } from '#platform/contract/refusal.ts';

/** Returns the code of an error of the system or a library, such as 'ENOENT'; '' if it has none, as refusals do. */
export function getErrorCode(error: unknown): string {
  if (!(error instanceof Error) || error instanceof Refusal || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Returns whether an error has this code of the system, such as 'ENOENT' or 'EXDEV'. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return getErrorCode(error) === code;
}
