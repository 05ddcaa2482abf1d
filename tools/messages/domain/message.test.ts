import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getConversation } from './message.ts';

/** 1 and 2 are computers, the others browsers. */
const isBrowser = (device: number): boolean => device > 2;
const id = fc.integer({ min: 1, max: 6 });
const browser = fc.integer({ min: 3, max: 6 });

test('messages to and from a computer are found under it by every reader', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 }), fc.option(id, { nil: undefined }), browser, (device, from, reader) => {
      expect(getConversation({ device, from }, reader, isBrowser)).toBe(device);
    }),
  );
});

test('two browsers find their messages under each other, and no one else finds them', () => {
  fc.assert(
    fc.property(browser, browser, browser, (device, from, reader) => {
      const conversation = getConversation({ device, from }, reader, isBrowser);
      if (reader === device) expect(conversation).toBe(from);
      else expect(conversation).toBe(reader === from ? device : undefined);
    }),
  );
});

test('a message that no device wrote is found under the browser that received it', () => {
  expect(getConversation({ device: 4, from: undefined }, 4, isBrowser)).toBe(4);
  expect(getConversation({ device: 4, from: undefined }, 5, isBrowser)).toBeUndefined();
  expect(getConversation({ device: 4, from: 5 }, undefined, isBrowser)).toBe(4);
});
