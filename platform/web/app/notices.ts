import { createStore } from '../store.ts';

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
let nextId = 1;
const store = createStore<readonly Notice[]>([]);

export const notices = {
  getShown: store.get,
  subscribe: store.subscribe,
  /** Adds a notice and returns its id. Repeated text is a new notice, so that a second attempt is visible. */
  add: (kind: Notice['kind'], text: string, link?: Notice['link'], action?: Notice['action']): number => {
    const id = nextId++;
    const notice: Notice = { id, kind, text, ...(link && { link }), ...(action && { action }) };
    store.set([notice, ...store.get()].slice(0, MAX_NOTICES));
    return id;
  },
  /** Shows a success with a button that reverses or continues it. */
  addWithAction: (text: string, label: string, run: () => void): number =>
    notices.add('good', text, undefined, { label, run }),
  /** Adds a notice unless it is already shown, for repeated work such as a poll. Returns its id. */
  addOnce: (kind: Notice['kind'], text: string): number =>
    store.get().find((notice) => notice.kind === kind && notice.text === text)?.id ?? notices.add(kind, text),
  dismiss: (id: number): void => store.set(store.get().filter((notice) => notice.id !== id)),
};
