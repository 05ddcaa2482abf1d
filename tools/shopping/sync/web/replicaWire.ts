import type { AnswerOf } from '#platform/contract/call.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import type { getshoplist, modifyshoplist, shoplistChanges } from '../../contract.ts';
import { fromTree } from '../domain/listWire.ts';
import type { Answer, LoadedList, ListEvent } from '../domain/replica.ts';

/** Converts the answer of `getshoplist`, which was called with the replica's `client`. */
export function readLoaded(data: AnswerOf<typeof getshoplist>['data']): LoadedList {
  const { name, items, types, links, revision, ids, seq, refused } = data;
  return { list: fromTree({ name, items, types, links }), revision, ids, seq, refused };
}

/** Converts the answer of `modifyshoplist` to batch `seq`. */
export function readAnswer(
  { id, revision, changes, ids, changed }: AnswerOf<typeof modifyshoplist>,
  seq: number,
): Answer {
  return { id, revision, changes, ids, changed, seq };
}

/** Converts the event `shoplistchanges`. */
export function readTold({ revision, changes, ids, client, seq }: EventDataOf<typeof shoplistChanges>): ListEvent {
  return {
    revision,
    changes,
    ids,
    client,
    seq,
  };
}
