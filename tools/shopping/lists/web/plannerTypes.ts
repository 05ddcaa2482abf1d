import type { OfflineState } from '#platform/web/app/useOfflineState.ts';
import type { GlobalItem } from '../domain/itemNames.ts';
import type { Change, List } from '../domain/list.ts';

/** A list in the menu. */
export interface ListEntry {
  /**
   * Key of the list in the address and in React: the server's id, or 'new-…' for a list that was created here.
   * It does not change while the page is open, even when the server assigns an id.
   */
  readonly key: string;
  /** The server's id; undefined until the list is created there. */
  readonly id: number | undefined;
  readonly name: string;
  /** Username of the owner, if that is another account. */
  readonly owner: string | undefined;
  /** Number of accounts that share it, including this one. */
  readonly members: number;
  readonly isArchived: boolean;
  /** Number of changes that are stored here and not sent yet. */
  readonly unsent: number;
}

/** An invitation to share a list. */
export interface Invitation {
  readonly id: number;
  readonly name: string;
  readonly from: string;
}

/** All lists of the account, also available offline. */
export interface Planner {
  /** All lists, also archived ones, in the order of their creation. */
  readonly lists: readonly ListEntry[];
  readonly invitations: readonly Invitation[];
  /** Own deleted lists that can be restored, most recently deleted first. */
  readonly deleted: readonly { readonly id: number; readonly name: string }[];
  /** Item names to suggest, most recently used first. */
  readonly globalItems: readonly GlobalItem[];
  /** Whether the account is known; before that, no list can be created. */
  readonly isKnown: boolean;
  /** Neither this browser nor the server has returned lists yet. */
  readonly isLoading: boolean;
  /** Whether this browser stores changes; otherwise they last as long as the page is open. */
  readonly isStored: boolean;
  /** Whether the page opens offline. For `insecure`, explain that it needs HTTPS. */
  readonly offline: OfflineState;
  /** Loads lists, invitations and the open list again. A failure is shown as a notice. */
  readonly reload: () => void;
  /** Creates a list, also offline, and returns its key. `from`: its name and the list whose content it copies. */
  readonly create: (from?: { readonly name: string; readonly list: List }) => string;
  /** Removes a deleted or never sent list from this browser, with its unsent changes. */
  readonly remove: (key: string) => void;
}

export type SyncState =
  | 'saved'
  /** Changes are being sent, or will be within half a second. */
  | 'sending'
  /** Changes wait in this browser for a connection. */
  | 'offline';

/** One list as the user sees it: the server's list with own changes on top. */
export interface OpenList {
  /** Undefined until it is loaded, or if it does not exist. */
  readonly list: List | undefined;
  /** Shows changes immediately, stores them in this browser, and sends them. One call is one step for `undo`. */
  readonly change: (changes: readonly Change[]) => void;
  readonly state: SyncState;
  readonly unsent: number;
  /** Number of unsent changes that are stored here and would survive closing the page. */
  readonly storedCount: number;
  /** Returns an id of an item or type that stays the same when the server assigns its own. */
  readonly getKey: (id: string) => string;
  /** Ids of items and types that others have just changed, for 600 ms. */
  readonly flashing: ReadonlySet<string>;
  /** Deleted, or no longer shared: nothing can be sent, but `Planner.create` can save the visible content. */
  readonly isGone: boolean;
  /** The server's message why the list can't be shown or why its changes were refused. */
  readonly problem: string | undefined;
  readonly canUndo: boolean;
  /** Undoes the user's last step; later changes of others remain. */
  readonly undo: () => void;
}
