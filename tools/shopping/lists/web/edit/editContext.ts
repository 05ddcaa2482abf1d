import { createContext, useContext } from 'react';
import type { GlobalItem, NameIndex } from '../../domain/itemNames.ts';
import type { Change, List } from '../../domain/list.ts';
import type { ItemDraft } from './itemChanges.ts';

/** Actions and data of rows and fields. The object is stable, so that it causes no re-render. */
export interface EditActions {
  /** The list as last rendered, including a new item that is not sent yet. */
  readonly getList: () => List;
  readonly change: (changes: readonly Change[]) => void;
  /** Names to suggest. */
  readonly getNames: () => NameIndex<GlobalItem>;
  /** Returns an id for a new item or type. */
  readonly createId: () => string;
  /** Focuses the name of this item or type as soon as it is rendered. */
  readonly requestFocus: (id: string) => void;
  readonly isFocusRequested: (id: string) => boolean;
  /** Like `isFocusRequested`, but returns true only once. */
  readonly takeFocusRequest: (id: string) => boolean;
  /** Observes whether an element is near the viewport. Returns a function that stops it. */
  readonly observe: (element: Element, onChange: (isNear: boolean, height: number) => void) => () => void;
  /** Announces a sentence to screen readers. */
  readonly announce: (text: string) => void;
  /** Shows a notice with an undo button, which reverts this action regardless of later ones. */
  readonly offerUndo: (text: string, createUndoChanges: () => readonly Change[]) => void;
  /** Previews what these lines would add. `targetItemId`: a new item that takes the first line. */
  readonly previewPaste: (text: string, targetItemId?: string) => void;
  /** The new item that has no name yet. */
  readonly draft: ItemDraft;
  /** Whether the preview of pasted lines is open. They may go into the draft. */
  readonly isPasting: () => boolean;
  /** Functions that flush unsaved field input; run before the page closes. */
  readonly unsavedDrafts: Set<() => void>;
}

export const EditContext = createContext<EditActions | undefined>(undefined);

export function useEdit(): EditActions {
  const edit = useContext(EditContext);
  if (!edit) throw new Error('useEdit must be used inside of edit mode');
  return edit;
}
