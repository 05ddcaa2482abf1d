import { assert, array, boolean, constantFrom, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_RETURNED_MESSAGES } from '../contract.ts';
import {
  applyAnswer,
  addLiveMessages,
  removeEntries,
  type ConversationEntry,
  type ConversationState,
} from './conversation.ts';

const createEntry = (id: number): ConversationEntry => ({
  id,
  text: `${id}`,
  sentby: 'x',
  inputtype: 1,
  timesent: id,
  from: undefined,
});
const EMPTY_CONVERSATION: ConversationState = { entries: [], watermark: undefined };
const listIds = ({ entries }: ConversationState): readonly number[] => entries.map(({ id }) => id);

test('a message that arrived while offline is requested, also if a later one came live', () => {
  const received = addLiveMessages(EMPTY_CONVERSATION, [createEntry(2)]);
  expect(received.watermark).toBeUndefined();
  expect(listIds(applyAnswer(received, [createEntry(1), createEntry(2)]))).toEqual([1, 2]);
});

test('after any live events and requests, an answer leaves no gaps and no duplicates', () => {
  const step = record({ writtenCount: nat({ max: 3 }), isLive: boolean(), isRequested: boolean() });
  assert(
    property(array(step, { maxLength: 40 }), (steps) => {
      const server: ConversationEntry[] = [];
      let state = EMPTY_CONVERSATION;
      for (const { writtenCount, isLive, isRequested } of steps) {
        const added = Array.from({ length: writtenCount }, (_, index) => createEntry(server.length + index + 1));
        server.push(...added);
        if (isLive) state = addLiveMessages(state, added);
        if (!isRequested) continue;
        state = applyAnswer(
          state,
          server.filter(({ id }) => id > (state.watermark ?? 0)),
        );
        expect(state.entries).toEqual(server);
      }
    }),
  );
});

test('an answer that may be incomplete replaces the known messages, and nothing new changes nothing', () => {
  const many = Array.from({ length: MAX_RETURNED_MESSAGES }, (_, index) => createEntry(index + 500));
  const state = applyAnswer(applyAnswer(EMPTY_CONVERSATION, [createEntry(1)]), many);
  expect(listIds(state)[0]).toBe(500);
  expect(applyAnswer(state, [])).toBe(state);
  expect(addLiveMessages(state, [createEntry(600)])).toBe(state);
});

test('messages deleted while offline are gone after the next answer, and live messages stay', () => {
  const state = applyAnswer(EMPTY_CONVERSATION, [createEntry(1), createEntry(2), createEntry(3)]);
  expect(listIds(removeEntries(state, [2, 7]))).toEqual([1, 3]);
  const stale = { ...state, isStale: true };
  const received = addLiveMessages(stale, [createEntry(4)]);
  expect(applyAnswer(received, [createEntry(1), createEntry(3)], stale)).toEqual({
    entries: [createEntry(1), createEntry(3), createEntry(4)],
    watermark: 3,
  });
  expect(listIds(applyAnswer({ ...state, isStale: true }, []))).toEqual([]);
  // The newest one was deleted too, and a live one remains next to an empty answer.
  const outdated = { ...state, isStale: true };
  expect(listIds(applyAnswer(outdated, [createEntry(1), createEntry(2)]))).toEqual([1, 2]);
  expect(listIds(applyAnswer(addLiveMessages(outdated, [createEntry(4)]), [], outdated))).toEqual([4]);
  expect(listIds(applyAnswer(addLiveMessages(outdated, [createEntry(4)]), [createEntry(1)], outdated))).toEqual([1, 4]);
  // The answer only has the end of a long conversation.
  const many = Array.from({ length: MAX_RETURNED_MESSAGES }, (_, index) => createEntry(index + 500));
  const long = { ...addLiveMessages(applyAnswer(EMPTY_CONVERSATION, many), [createEntry(1)]), isStale: true };
  expect(listIds(applyAnswer(long, many)).slice(0, 2)).toEqual([1, 500]);
});

test('after any writes and deletions, online and offline, an answer shows the current messages', () => {
  const action = constantFrom(
    'write',
    'delete oldest',
    'delete newest',
    'disconnect',
    'reconnect',
    'request',
    'respond',
  );
  assert(
    property(array(action, { maxLength: 60 }), (actions) => {
      let server: readonly ConversationEntry[] = [];
      let state = EMPTY_CONVERSATION;
      let isConnected = true;
      let count = 0;
      let pending:
        | { readonly requestState: ConversationState; readonly answer: readonly ConversationEntry[] }
        | undefined;
      const run: Record<(typeof actions)[number], () => void> = {
        write: () => {
          const added = createEntry((count += 1));
          server = [...server, added];
          if (isConnected) state = addLiveMessages(state, [added]);
        },
        'delete oldest': () => remove(server[0]),
        'delete newest': () => remove(server.at(-1)),
        disconnect: () => {
          isConnected = false;
          pending = undefined;
        },
        reconnect: () => {
          if (!isConnected) state = { ...state, isStale: true };
          isConnected = true;
        },
        request: () => {
          const after = state.isStale === true ? 0 : (state.watermark ?? 0);
          if (isConnected) pending = { requestState: state, answer: server.filter(({ id }) => id > after) };
        },
        respond: () => {
          if (pending) state = applyAnswer(state, pending.answer, pending.requestState);
          pending = undefined;
        },
      };
      function remove(removed: ConversationEntry | undefined): void {
        server = server.filter((entry) => entry !== removed);
        if (isConnected && removed) state = removeEntries(state, [removed.id]);
      }
      for (const name of [...actions, 'reconnect', 'request', 'respond'] as const) run[name]();
      expect(listIds(state)).toEqual(server.map(({ id }) => id));
    }),
  );
});
