import type { RequestInputOf } from '#platform/contract/call.ts';
import { CallError, createClient } from '#platform/contract/client.ts';
import { getshoplist, modifyshoplist } from '#tools/shopping/contract.ts';
import type { Change, List } from '#tools/shopping/lists/domain/list.ts';
import { applyWireChanges } from '#tools/shopping/sync/domain/listWire.ts';
import { parseLoadedList } from '#tools/shopping/sync/domain/replica.ts';
import { TICK_INTERVAL_MS } from '#tools/shopping/sync/web/sendSchedule.ts';
import type { FaultyLine } from './faultyLine.ts';
import { toPlainChanges } from './plain.ts';

const SPEED = 50;

/**
 * A client with only the specified fields: it repeats unanswered changes, and learns of others when it loads the list.
 */
export interface PlainBrowser {
  readonly list: () => List;
  readonly change: (changes: readonly Change[]) => void;
  /** Loads the whole list as soon as nothing is in flight. */
  readonly reopen: () => void;
  readonly isIdle: () => boolean;
  readonly errors: readonly string[];
  readonly close: () => void;
}

export interface PlainBrowserDeps {
  readonly line: FaultyLine;
  readonly token: string;
  readonly id: number;
  readonly onAnswer: (revision: number) => void;
  readonly onSend: () => void;
}

export function openPlainBrowser({ line, token, id, onAnswer, onSend }: PlainBrowserDeps): PlainBrowser {
  const call = createClient({ origin: line.origin, token: () => token });
  const errors: string[] = [];
  let list: List = { name: '', items: new Map(), types: new Map(), links: new Map() };
  /** Trees of new values, oldest first. */
  let unsentTrees: readonly ReturnType<typeof toPlainChanges>['tree'][] = [];
  let isBusy = false;
  let wantsLoad = true;

  async function send(): Promise<void> {
    const [tree] = unsentTrees;
    if (!tree) return;
    onSend();
    const changes = tree as RequestInputOf<typeof modifyshoplist>['changes'];
    const answer = await call(modifyshoplist, { id, changes, timesent: Date.now() / 1000 });
    onAnswer(answer.revision);
    unsentTrees = unsentTrees.slice(1);
    list = applyWireChanges(list, answer.changes);
  }
  async function load(): Promise<void> {
    const loadedList = parseLoadedList((await call(getshoplist, { id })).data);
    wantsLoad = false;
    list = loadedList.list;
  }
  async function tick(): Promise<void> {
    if (isBusy || (unsentTrees.length === 0 && !wantsLoad)) return;
    isBusy = true;
    try {
      await (unsentTrees.length > 0 ? send() : load());
    } catch (error) {
      if (!(error instanceof CallError)) {
        errors.push(String(error));
        unsentTrees = unsentTrees.slice(1);
      }
    } finally {
      isBusy = false;
    }
  }
  const clock = setInterval(() => void tick(), TICK_INTERVAL_MS / SPEED);
  return {
    list: () => list,
    change: (changes) => {
      const { tree, list: changedList } = toPlainChanges(changes, list);
      unsentTrees = [...unsentTrees, tree];
      list = changedList;
    },
    reopen: () => void (wantsLoad = true),
    isIdle: () => unsentTrees.length === 0 && !isBusy && !wantsLoad,
    errors,
    close: () => clearInterval(clock),
  };
}
