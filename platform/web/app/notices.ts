/** A line for the user, as the notice stack shows it: at most 5, newest first (look.md section 3). */
export interface Notice {
  readonly id: number;
  readonly kind: 'bad' | 'good' | 'info';
  readonly text: string;
  /** Behind the text, where there is something to open. */
  readonly link?: { readonly label: string; readonly href: string };
  /** A button behind the text, such as 'Undo'. It can be pressed once. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

const MAX_NOTICES = 5;
let next = 1;
let shown: readonly Notice[] = [];
const listeners = new Set<() => void>();
const change = (notices: readonly Notice[]): void => {
  shown = notices;
  for (const tell of listeners) tell();
};

export const notices = {
  getShown: (): readonly Notice[] => shown,
  /** The newest stands first, the oldest over five is dropped. The same text again is an entry of its own, so that a second try is seen. Gives its id. */
  add: (kind: Notice['kind'], text: string, link?: Notice['link'], action?: Notice['action']): number => {
    const id = next++;
    change([{ id, kind, text, ...(link && { link }), ...(action && { action }) }, ...shown].slice(0, MAX_NOTICES));
    return id;
  },
  /** What was done, with a button that takes it back or goes on with it. */
  addWithAction: (text: string, label: string, run: () => void): number =>
    notices.add('good', text, undefined, { label, run }),
  /** For what repeats by itself, such as a poll: keeps its one entry, whose id it gives. */
  addOnce: (kind: Notice['kind'], text: string): number =>
    shown.find((notice) => notice.kind === kind && notice.text === text)?.id ?? notices.add(kind, text),
  dismiss: (id: number): void => change(shown.filter((notice) => notice.id !== id)),
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};
