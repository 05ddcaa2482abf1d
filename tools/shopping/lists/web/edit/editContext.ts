import { createContext, useContext } from 'react';
import type { GlobalItem, Names } from '../../domain/itemNames.ts';
import type { Change, List } from '../../domain/list.ts';
import type { ItemDraft } from './itemChanges.ts';

/** What rows and fields ask and tell. It stays the same object, so that no row is drawn anew for it. */
export interface EditActions {
  /** As it was drawn last, a new item that is not sent yet among it. */
  readonly list: () => List;
  readonly change: (changes: readonly Change[]) => void;
  /** Names to choose from, made ready once. */
  readonly names: () => Names<GlobalItem>;
  /** For an item or a type. */
  readonly newId: () => string;
  /** Makes it the one whose name takes the focus as soon as it is drawn. */
  readonly expect: (id: string) => void;
  readonly isWaitedFor: (id: string) => boolean;
  /** Whether this one was expected; asked once. */
  readonly isExpected: (id: string) => boolean;
  /** Tells whether an element is near the window, as that changes. Gives back how to stop. */
  readonly watch: (element: Element, change: (isNear: boolean, height: number) => void) => () => void;
  /** Reads a sentence out. */
  readonly say: (text: string) => void;
  /** Tells what was done, with a button that takes it back, whatever was done since. */
  readonly offerUndo: (text: string, inverse: () => readonly Change[]) => void;
  /** Shows what these lines would add. `into`: a fresh item that takes the first one. */
  readonly paste: (text: string, into?: string) => void;
  /** The new item that has no name yet. */
  readonly draft: ItemDraft;
  /** Whether lines are looked at that may go into the draft. */
  readonly isPasting: () => boolean;
  /** What fields hold and have not told yet: run before the page goes. */
  readonly untold: Set<() => void>;
}

export const EditContext = createContext<EditActions | undefined>(undefined);

export function useEdit(): EditActions {
  const edit = useContext(EditContext);
  if (!edit) throw new Error('a part of edit mode stands outside of it');
  return edit;
}
