import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { archiveshoplist, deleteshoplist, leaveshoplist, restoreshoplist } from '#tools/shopping/contract.ts';
import type { List } from '../../domain/list.ts';
import type { ListEntry, Planner } from '../plannerTypes.ts';
import { createCopyName, resetList } from './resetList.ts';

interface ListActionsOptions {
  readonly planner: Planner;
  /** Called when this list no longer exists. */
  readonly onLeave: (key: string) => void;
  readonly onSelect: (key: string) => void;
}

/** Actions on a whole list. Those that need the server run when it answers; failures are shown as a notice. */
export function useListActions({ planner, onLeave, onSelect }: ListActionsOptions) {
  async function archive(list: Pick<ListEntry, 'id' | 'name'>, archived: boolean): Promise<void> {
    if (list.id === undefined) return;
    try {
      await call(archiveshoplist, { id: list.id, archived });
    } catch (error) {
      showError(error);
      return;
    }
    planner.reload();
    if (archived) notices.addWithAction(`${list.name} archived`, 'Undo', () => void archive(list, false));
  }
  async function restore({ id }: { readonly id: number }): Promise<void> {
    try {
      await call(restoreshoplist, { id });
    } catch (error) {
      showError(error);
      return;
    }
    planner.reload();
    onSelect(String(id));
  }
  /** Removes a list from this browser that was deleted or never sent. */
  function discard(key: string): void {
    onLeave(key);
    planner.remove(key);
  }
  async function remove({ id, key, name }: ListEntry): Promise<void> {
    if (id === undefined) {
      discard(key);
      return;
    }
    try {
      await call(deleteshoplist, { id });
    } catch (error) {
      showError(error);
      return;
    }
    onLeave(key);
    planner.reload();
    notices.addWithAction(`${name} deleted`, 'Undo', () => void restore({ id }));
  }
  async function leave({ id, key, name }: ListEntry): Promise<void> {
    if (id === undefined) return;
    try {
      await call(leaveshoplist, { id });
    } catch (error) {
      showError(error);
      return;
    }
    onLeave(key);
    planner.reload();
    notices.add('good', `You left ${name}`);
  }
  /** Copies a list without what was bought. Works immediately, also offline. */
  function duplicate(list: List): void {
    const name = createCopyName(
      list.name,
      planner.lists.map((entry) => entry.name),
    );
    onSelect(planner.create({ name, list: resetList(list) }));
    notices.add('good', `Created ${name}`);
  }
  /** Saves the visible content of a deleted list as an own list. */
  function keepCopy(key: string, list: List): void {
    onSelect(planner.create({ name: list.name, list }));
    planner.remove(key);
  }
  return { archive, restore, remove, leave, duplicate, discard, keepCopy };
}

export type ListActions = ReturnType<typeof useListActions>;
