import { vi } from 'vitest';

/** A browser storage in memory. Its entries are properties, as in a browser. */
export class MemoryStorage {
  [key: string]: unknown;
  getItem(key: string): string | null {
    return (this[key] as string | undefined) ?? null;
  }
  setItem(key: string, value: string): void {
    this[key] = value;
  }
  removeItem(key: string): void {
    delete this[key];
  }
}

/** Replaces the globals of a page that modules read when they load. Returns its `localStorage`. */
export function stubPage(): MemoryStorage {
  const local = new MemoryStorage();
  vi.stubGlobal('window', Object.assign(new EventTarget(), { localStorage: local }));
  vi.stubGlobal('sessionStorage', new MemoryStorage());
  vi.stubGlobal('location', { protocol: 'https:' });
  return local;
}
