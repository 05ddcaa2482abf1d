import { assert, array, boolean, constantFrom, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyAnswer,
  addLiveMessages,
  ANSWERED,
  withoutDeleted,
  type Entry,
  type ConversationState,
} from './thread.ts';

const entry = (id: number): Entry => ({ id, text: `${id}`, sentby: 'x', inputtype: 1, timesent: id, from: undefined });
const NOTHING: ConversationState = { entries: [], upTo: undefined };
const listIds = ({ entries }: ConversationState): readonly number[] => entries.map(({ id }) => id);

test('a message that arrived while offline is requested, also if a later one came live', () => {
  const received = addLiveMessages(NOTHING, [entry(2)]);
  expect(received.upTo).toBeUndefined();
  expect(listIds(applyAnswer(received, [entry(1), entry(2)]))).toEqual([1, 2]);
});

test('after any live events and requests, an answer leaves nothing missing and nothing twice', () => {
  const step = record({ written: nat({ max: 3 }), isHeard: boolean(), isRequested: boolean() });
  assert(
    property(array(step, { maxLength: 40 }), (steps) => {
      const server: Entry[] = [];
      let known = NOTHING;
      for (const { written, isHeard, isRequested } of steps) {
        const fresh = Array.from({ length: written }, (_, at) => entry(server.length + at + 1));
        server.push(...fresh);
        if (isHeard) known = addLiveMessages(known, fresh);
        if (!isRequested) continue;
        known = applyAnswer(
          known,
          server.filter(({ id }) => id > (known.upTo ?? 0)),
        );
        expect(known.entries).toEqual(server);
      }
    }),
  );
});

test('an answer that may be incomplete replaces the known messages, and nothing new changes nothing', () => {
  const many = Array.from({ length: ANSWERED }, (_, at) => entry(at + 500));
  const known = applyAnswer(applyAnswer(NOTHING, [entry(1)]), many);
  expect(listIds(known)[0]).toBe(500);
  expect(applyAnswer(known, [])).toBe(known);
  expect(addLiveMessages(known, [entry(600)])).toBe(known);
});

test('messages deleted while offline are gone after the next answer, and live messages stay', () => {
  const known = applyAnswer(NOTHING, [entry(1), entry(2), entry(3)]);
  expect(listIds(withoutDeleted(known, [2, 7]))).toEqual([1, 3]);
  const stale = { ...known, isStale: true };
  const received = addLiveMessages(stale, [entry(4)]);
  expect(applyAnswer(received, [entry(1), entry(3)], stale)).toEqual({
    entries: [entry(1), entry(3), entry(4)],
    upTo: 3,
  });
  expect(listIds(applyAnswer({ ...known, isStale: true }, []))).toEqual([]);
  // The newest one was deleted too, and a live one remains next to an empty answer.
  const outdated = { ...known, isStale: true };
  expect(listIds(applyAnswer(outdated, [entry(1), entry(2)]))).toEqual([1, 2]);
  expect(listIds(applyAnswer(addLiveMessages(outdated, [entry(4)]), [], outdated))).toEqual([4]);
  expect(listIds(applyAnswer(addLiveMessages(outdated, [entry(4)]), [entry(1)], outdated))).toEqual([1, 4]);
  // The answer only has the end of a long conversation.
  const many = Array.from({ length: ANSWERED }, (_, at) => entry(at + 500));
  const long = { ...addLiveMessages(applyAnswer(NOTHING, many), [entry(1)]), isStale: true };
  expect(listIds(applyAnswer(long, many)).slice(0, 2)).toEqual([1, 500]);
});

test('after any writes and deletions, online and offline, the answer to a complete request shows the current messages', () => {
  const act = constantFrom('write', 'delete oldest', 'delete newest', 'lose line', 'get line', 'ask', 'answer');
  assert(
    property(array(act, { maxLength: 60 }), (acts) => {
      let server: readonly Entry[] = [];
      let known = NOTHING;
      let isUp = true;
      let count = 0;
      let question: { readonly before: ConversationState; readonly answer: readonly Entry[] } | undefined;
      const steps: Record<(typeof acts)[number], () => void> = {
        write: () => {
          const fresh = entry((count += 1));
          server = [...server, fresh];
          if (isUp) known = addLiveMessages(known, [fresh]);
        },
        'delete oldest': () => remove(server[0]),
        'delete newest': () => remove(server.at(-1)),
        'lose line': () => {
          isUp = false;
          question = undefined;
        },
        'get line': () => {
          if (!isUp) known = { ...known, isStale: true };
          isUp = true;
        },
        ask: () => {
          const after = known.isStale === true ? 0 : (known.upTo ?? 0);
          if (isUp) question = { before: known, answer: server.filter(({ id }) => id > after) };
        },
        answer: () => {
          if (question) known = applyAnswer(known, question.answer, question.before);
          question = undefined;
        },
      };
      const remove = (gone: Entry | undefined): void => {
        server = server.filter((each) => each !== gone);
        if (isUp && gone) known = withoutDeleted(known, [gone.id]);
      };
      for (const each of [...acts, 'get line', 'ask', 'answer'] as const) steps[each]();
      expect(listIds(known)).toEqual(server.map(({ id }) => id));
    }),
  );
});
