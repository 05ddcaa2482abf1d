import { createStore, useStore } from '#platform/web/store.ts';

/** The next announcement for screen readers. */
export interface Announcement {
  readonly text: string;
  /** Changes with every announcement, so that the same words are read again. */
  readonly number: number;
}

const announcement = createStore<Announcement>({ text: '', number: 0 });

/** Announces a text to screen readers; undefined announces nothing. */
export function announce(text: string | undefined): void {
  if (text !== undefined) announcement.set({ text, number: announcement.get().number + 1 });
}

export function useAnnouncement(): Announcement {
  return useStore(announcement);
}
