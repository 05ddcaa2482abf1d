/** A message in the notice stack, which shows at most 5, newest first (docs/design/appearance.md section 6). */
export interface Notice {
  readonly id: number;
  readonly kind: 'bad' | 'good' | 'info';
  readonly text: string;
  /** Link after the text. */
  readonly link?: { readonly label: string; readonly href: string };
  /** Button after the text, such as 'Undo'. It can be pressed once. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

const MAX_NOTICES = 5;
let next = 1;
let shown: readonly Notice[] = [];
const listeners = new Set<() => void>();
const change = (notices: readonly Notice[]): void => {
  shown = notices;
  for (const listener of listeners) listener();
};

export const notices = {
  getShown: (): readonly Notice[] => shown,
  /** Adds a notice and returns its id. Repeated text is a new notice, so that a second attempt is visible. */
  add: (kind: Notice['kind'], text: string, link?: Notice['link'], action?: Notice['action']): number => {
    const id = next++;
    change([{ id, kind, text, ...(link && { link }), ...(action && { action }) }, ...shown].slice(0, MAX_NOTICES));
    return id;
  },
  /** Shows a success with a button that reverses or continues it. */
  addWithAction: (text: string, label: string, run: () => void): number =>
    notices.add('good', text, undefined, { label, run }),
  /** Adds a notice unless it is already shown, for repeated work such as a poll. Returns its id. */
  addOnce: (kind: Notice['kind'], text: string): number =>
    shown.find((notice) => notice.kind === kind && notice.text === text)?.id ?? notices.add(kind, text),
  dismiss: (id: number): void => change(shown.filter((notice) => notice.id !== id)),
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
