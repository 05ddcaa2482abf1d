import type { Style } from '../events/domain/event.ts';

/** What every part in the main place gets. Days are ISO. */
export interface PartProps {
  readonly selection: Selection;
  /** In the browser's zone. */
  readonly today: string;
  readonly onSelect: (next: Selection) => void;
}

/** Of the views that show days. */
export interface DaysProps extends PartProps {
  /** A new event on that day. */
  readonly onNew: (date: string) => void;
}

/** What the page's main place shows. */
export type View = 'event' | 'week' | 'month' | 'search';

/** Fields that a new event begins with: from quick add, or from the day that was clicked. Dates are ISO. */
export interface Proposal {
  readonly name?: string;
  readonly date: string;
}

/** The event in the editor. Dates are ISO; `date` is the day of it that was chosen. */
export type Selection =
  | { readonly kind: 'none' }
  | { readonly kind: 'event'; readonly id: number; readonly date: string; readonly type: Style }
  | { readonly kind: 'new'; readonly proposal: Proposal };

/** Keys of the calendar's queries: all begin alike, so that one word makes all of them stale. */
export const keys = {
  all: ['calendar'],
  page: (tz: string) => ['calendar', 'page', tz],
  between: (from: string, until: string) => ['calendar', 'between', from, until],
  event: (id: number, date: string) => ['calendar', 'event', id, date],
  search: (term: string, tags: readonly string[]) => ['calendar', 'search', term, ...tags],
  bin: ['calendar', 'bin'],
  feed: ['calendar', 'feed'],
  subscriptions: ['calendar', 'subscriptions'],
} as const;
