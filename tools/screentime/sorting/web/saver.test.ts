import { expect, test } from 'vitest';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { NO_KEYS } from '../domain/category.ts';
import { getCategory, applyEdit, type Box, type SortingEdit } from '../domain/categoryBoard.ts';
import { createSaver } from './saver.ts';

const box = (name: string, ...applications: string[]): Box => ({ name, keys: NO_KEYS, applications });
const move = (application: string, to: string): SortingEdit => ({ kind: 'move', application, to });

/** Creates a server whose answers a test can delay or fail. */
function createServer() {
  let boxes: readonly Box[] = [box('work', 'code'), box('web'), box(UNASSIGNED, 'firefox', 'obs')];
  const refused: string[] = [];
  const next: (Error | Promise<void>)[] = [];
  const saver = createSaver({
    load: async () => boxes,
    send: async (_before, after) => {
      const answer = next.shift();
      if (answer instanceof Error) throw answer;
      await answer;
      boxes = after;
    },
    onSaved: () => undefined,
    onRefused: (why) => void refused.push(why.message),
  });
  async function ended(): Promise<void> {
    while (saver.getState().status === 'Saving...')
      await new Promise<void>((resolve) => {
        const stop = saver.subscribe(() => {
          stop();
          resolve();
        });
      });
  }
  return {
    saver,
    refused,
    next,
    ended,
    place: (application: string) => getCategory(boxes, application),
    elsewhere: (edit: SortingEdit): void => {
      boxes = applyEdit(boxes, edit);
    },
  };
}

test('edits made during a save are saved afterwards', async () => {
  const { saver, next, ended, place } = createServer();
  const blocked = Promise.withResolvers<void>();
  next.push(blocked.promise);
  saver.edit(move('firefox', 'web'));
  expect(saver.getState().status).toBe('Saving...');
  saver.edit(move('obs', 'web'));
  saver.edit(move('obs', 'work'));
  blocked.resolve();
  await ended();
  await ended();
  expect(saver.getState()).toEqual({ edits: [], status: 'Saved' });
  expect([place('firefox'), place('obs')]).toEqual(['web', 'work']);
});

test('applications that another page moved meanwhile stay moved', async () => {
  const { saver, ended, place, elsewhere } = createServer();
  elsewhere(move('code', UNASSIGNED));
  saver.edit(move('firefox', 'web'));
  await ended();
  expect([place('code'), place('firefox')]).toEqual([UNASSIGNED, 'web']);
});

test('edits that did not arrive are saved by the next attempt, with later ones', async () => {
  const { saver, next, ended, place } = createServer();
  next.push(new Error('The server cannot be reached'));
  saver.edit(move('firefox', 'web'));
  await ended();
  expect(saver.getState()).toEqual({ edits: [move('firefox', 'web')], status: 'Failed to save - Server error' });
  saver.edit(move('obs', 'work'));
  await ended();
  expect(saver.getState()).toEqual({ edits: [], status: 'Saved' });
  expect([place('firefox'), place('obs')]).toEqual(['web', 'work']);
});

test('edits made as the session ends are saved by the next attempt', async () => {
  const { saver, refused, next, ended, place } = createServer();
  next.push(new InvalidTokenRefusal());
  saver.edit(move('firefox', 'web'));
  await ended();
  expect(saver.getState()).toEqual({ edits: [move('firefox', 'web')], status: 'Failed to save - Server error' });
  expect(refused).toEqual([]);
  saver.save();
  await ended();
  expect([saver.getState().status, place('firefox')]).toEqual(['Saved', 'web']);
});

test('refused edits are dropped and reported', async () => {
  const { saver, refused, next, ended, place } = createServer();
  next.push(new Refusal('test.refused', 'You can have at most 200 categories. Delete one first'));
  saver.edit({ kind: 'add', category: 'music' });
  await ended();
  expect(saver.getState()).toEqual({ edits: [], status: 'Failed to save - rejected' });
  expect(refused).toEqual(['You can have at most 200 categories. Delete one first']);
  saver.edit(move('obs', 'work'));
  await ended();
  expect([saver.getState().status, place('obs')]).toEqual(['Saved', 'work']);
});
