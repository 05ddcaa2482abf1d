import type { Selection } from './selection.ts';

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
