import type { Style } from '../events/domain/event.ts';

/** Props of each view in the main area. Days are ISO. */
export interface CalendarViewProps {
  readonly selection: Selection;
  /** In the browser's zone. */
  readonly today: string;
  readonly onSelect: (next: Selection) => void;
}

/** Props of the views that show days. */
export interface DaysProps extends CalendarViewProps {
  /** Starts a new event on a day. */
  readonly onNew: (date: string) => void;
}

/** The view in the main area. */
export type View = 'event' | 'week' | 'month' | 'search';

/** Initial fields of a new event: from quick add, or from the day that was clicked. Dates are ISO. */
export interface Proposal {
  readonly name?: string;
  readonly date: string;
}

/** The event in the editor. Dates are ISO; `date` is the selected day. */
export type Selection =
  | { readonly kind: 'none' }
  | { readonly kind: 'event'; readonly id: number; readonly date: string; readonly type: Style }
  | { readonly kind: 'new'; readonly proposal: Proposal };

/** Keys of the calendar's queries. They share a prefix, so that one call invalidates all of them. */
export const queryKeys = {
  all: ['calendar'],
  page: (tz: string) => ['calendar', 'page', tz],
  between: (from: string, until: string) => ['calendar', 'between', from, until],
  event: (id: number, date: string) => ['calendar', 'event', id, date],
  search: (term: string, tags: readonly string[]) => ['calendar', 'search', term, ...tags],
  bin: ['calendar', 'bin'],
  feed: ['calendar', 'feed'],
  subscriptions: ['calendar', 'subscriptions'],
} as const;
