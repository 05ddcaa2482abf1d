import type { OfflineState } from '#platform/web/app/offlinePage.ts';
import type { GlobalItem } from '../domain/itemNames.ts';
import type { Change, List } from '../domain/list.ts';

/** A list in the menu. */
export interface ListEntry {
  /**
   * Names the list in the address and for React: the server's id in digits, or 'new-…' of a list that was made here. It stays the same as
   * long as the page is open, also when the server gives the list its id.
   */
  readonly key: string;
  /** The server's; undefined while the list is to be made. */
  readonly id: number | undefined;
  readonly name: string;
  /** The username of its owner, where that is another account. */
  readonly owner: string | undefined;
  /** Accounts that share it, this one included. */
  readonly members: number;
  readonly isArchived: boolean;
  /** Changes that are kept here and not sent yet. */
  readonly unsent: number;
}

/** A list that another account wants to share. */
export interface Invitation {
  readonly id: number;
  readonly name: string;
  readonly from: string;
}

/** All lists of the account, also with no line. */
export interface Planner {
  /** In the order in which they were made, archived ones among them. */
  readonly lists: readonly ListEntry[];
  readonly invitations: readonly Invitation[];
  /** Own lists that can be brought back, the one deleted last first. */
  readonly deleted: readonly { readonly id: number; readonly name: string }[];
  /** Names that an item may take: the one used last first. */
  readonly globalItems: readonly GlobalItem[];
  /** Whose lists these are: before that is known none can be made. */
  readonly isKnown: boolean;
  /** Nothing is known yet: neither from this browser's store nor from the server. */
  readonly isLoading: boolean;
  /** Whether this browser's store takes changes; where it does not they are kept only as long as the page is open. */
  readonly isKept: boolean;
  /** Whether the page opens with no line: `insecure` needs https and is said with `NeedsHttps`. */
  readonly offline: OfflineState;
  /** Asks the server for lists, invitations and the open list again. A failure is told as a notice. */
  readonly reload: () => void;
  /** Makes a list at once, with no line as well, and gives its key. `from`: with this name and what this list holds. */
  readonly create: (from?: { readonly name: string; readonly list: List }) => string;
  /** Takes a list that is gone, or one that was never sent, out of this browser, with all that was not sent. */
  readonly drop: (key: string) => void;
}

export type SyncState =
  | 'saved'
  /** Changes are on their way, or go within half a second. */
  | 'sending'
  /** Changes wait for the line, in the browser's store. */
  | 'offline';

/** One list as a person sees it: what the server told, with own changes on top. */
export interface OpenList {
  /** Undefined while it is not known, or where there is no such list. */
  readonly list: List | undefined;
  /** Shows own changes at once, keeps them in this browser, and sends them. Several are one step for `undo`. */
  readonly change: (changes: readonly Change[]) => void;
  readonly state: SyncState;
  readonly unsent: number;
  /** So many of them would be there if the page ended now. */
  readonly kept: number;
  /** A name for an item or type that stays the same when the server gives it its id. */
  readonly keyOf: (id: string) => string;
  /** Items and types that others have just changed, by id: for 600 ms. */
  readonly flashing: ReadonlySet<string>;
  /** Deleted, or no longer shared with this account: nothing can be sent any more, and what is seen can be kept by `Planner.create`. */
  readonly isGone: boolean;
  /** Why the list cannot be shown, or why its changes were refused: the server's own sentence. */
  readonly problem: string | undefined;
  readonly canUndo: boolean;
  /** Takes own last step back; what others changed since stays. */
  readonly undo: () => void;
}
