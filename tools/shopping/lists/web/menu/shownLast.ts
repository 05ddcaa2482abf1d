import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const LAST = 'shopping.list';

/** The name of the list that was open last in this browser, as its address has it. */
export const shownLast = {
  get: (): string | null | undefined => browserStorage.get(LAST),
  set: (name: string): void => browserStorage.set(LAST, name),
};
