import { expect, test } from 'vitest';
import { createListeners, createStore } from './store.ts';

test('a store notifies its listeners after each change, until they unsubscribe', () => {
  const store = createStore(1);
  const seen: number[] = [];
  const unsubscribe = store.subscribe(() => seen.push(store.get()));
  store.set(2);
  store.set(2);
  unsubscribe();
  store.set(3);
  expect(seen).toEqual([2, 2]);
  expect(store.get()).toBe(3);
});

test('a listener that is subscribed twice is called once', () => {
  const { subscribe, notify } = createListeners<[name: string]>();
  const names: string[] = [];
  const listener = (name: string): void => void names.push(name);
  subscribe(listener);
  subscribe(listener);
  notify('anna');
  expect(names).toEqual(['anna']);
});

test('a listener can unsubscribe while it is called', () => {
  const { subscribe, notify } = createListeners();
  let count = 0;
  const unsubscribe = subscribe(() => {
    count += 1;
    unsubscribe();
  });
  subscribe(() => (count += 10));
  notify();
  notify();
  expect(count).toBe(21);
});
