import { remember } from '#platform/web/remember.ts';

const LAST = 'shopping.list';

/** The name of the list that was open last in this browser, as its address has it. */
export const shownLast = {
  get: (): string | null | undefined => remember.get(LAST),
  set: (name: string): void => remember.set(LAST, name),
};
