import { createContext, useContext } from 'react';
import type { GlobalItem, Names } from '../../domain/itemNames.ts';
import type { Change, List } from '../../domain/list.ts';
import type { ItemDraft } from './itemChanges.ts';

/** Actions and data of rows and fields. The object is stable, so that it causes no re-render. */
export interface EditActions {
  /** The list as last rendered, including a new item that is not sent yet. */
  readonly list: () => List;
  readonly change: (changes: readonly Change[]) => void;
  /** Names to suggest, prepared once. */
  readonly names: () => Names<GlobalItem>;
  /** Returns an id for a new item or type. */
  readonly newId: () => string;
  /** Focuses the name of this item or type as soon as it is rendered. */
  readonly expect: (id: string) => void;
  readonly isWaitedFor: (id: string) => boolean;
  /** Like `isWaitedFor`, but returns true only once. */
  readonly isExpected: (id: string) => boolean;
  /** Observes whether an element is near the viewport. Returns a function that stops it. */
  readonly watch: (element: Element, change: (isNear: boolean, height: number) => void) => () => void;
  /** Announces a sentence to screen readers. */
  readonly say: (text: string) => void;
  /** Shows a notice with an undo button, which reverts this action regardless of later ones. */
  readonly offerUndo: (text: string, inverse: () => readonly Change[]) => void;
  /** Previews what these lines would add. `into`: a new item that takes the first line. */
  readonly paste: (text: string, into?: string) => void;
  /** The new item that has no name yet. */
  readonly draft: ItemDraft;
  /** Whether pasted lines are previewed that may go into the draft. */
  readonly isPasting: () => boolean;
  /** Functions that flush unsaved field input; run before the page closes. */
  readonly unsavedDrafts: Set<() => void>;
}

export const EditContext = createContext<EditActions | undefined>(undefined);

export function useEdit(): EditActions {
  const edit = useContext(EditContext);
  if (!edit) throw new Error('a part of edit mode stands outside of it');
  return edit;
}
