import type { Fields } from './slotDrafts.ts';

const FIELDS: readonly (keyof Fields)[] = ['name', 'start', 'end', 'status', 'description', 'colour'];

/** Parses a stored draft; invalid fields are left out. */
export function parseEdits(text: string): Partial<Fields> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  const stored = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    FIELDS.flatMap((field) => (typeof stored.get(field) === 'string' ? [[field, stored.get(field)]] : [])),
  );
}
