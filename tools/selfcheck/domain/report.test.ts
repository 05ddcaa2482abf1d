import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareTexts, describeDifference, formatReport, summarizeResults } from './report.ts';
import { sampleTexts } from './sampleTexts.ts';

const getText = (label: string): string => sampleTexts.find((sample) => sample.label === label)?.parts.join('') ?? '';

test('a text that arrived exactly has passed', () =>
  expect(compareTexts('Emoji', { expected: '👋', received: '👋', dropped: [], ms: 12 })).toEqual({
    label: 'Emoji',
    outcome: 'passed',
    expected: '👋',
    received: '👋',
    ms: 12,
  }));

test('a text that lacks only characters that the agent named has arrived partly', () =>
  expect(compareTexts('Emoji', { expected: 'a👋b👋', received: 'ab', dropped: ['👋'] })).toMatchObject({
    outcome: 'partly',
    note: "The agent reported that it can't type 1 of the characters here: 👋",
  }));

test('of many characters that the agent named, the note has twenty', () => {
  const expected = getText('600 different characters');
  const { outcome, note } = compareTexts('Many', { expected, received: '', dropped: Array.from(expected) });
  expect(outcome).toBe('partly');
  expect(note).toMatch(/can't type 600 of the characters here: (?:\S ){20}and 580 more$/);
});

test('the report quotes the start of a long text', () => {
  const result = { label: 'Many', outcome: 'failed', expected: 'a'.repeat(600), received: '' } as const;
  expect(formatReport([], [result])).toContain(`expected: "${'a'.repeat(200)}" and 400 more\n`);
});

test('a text that lacks a character that the agent did not name has failed', () =>
  expect(compareTexts('Emoji', { expected: 'a👋b', received: 'ab', dropped: ['c'] })).toMatchObject({
    outcome: 'failed',
    note: 'First difference at character 2: expected "👋" (U+1F44B), received "b" (U+0062)',
  }));

test('a text that ends early differs in its first missing character', () =>
  expect(describeDifference('abc', 'ab')).toBe(
    'First difference at character 3: expected "c" (U+0063), received nothing',
  ));

test('only equal texts have no difference', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      expect(describeDifference(one, other) === undefined).toBe(one === other);
    }),
  );
});

test('the report names the computer, and shows texts only where they differ', () => {
  const results = [
    { label: 'ASCII', outcome: 'passed', expected: 'a', received: 'a', ms: 41.6 },
    { label: 'Lines', outcome: 'failed', expected: 'a\nb', received: 'a', note: 'why' },
    { label: 'Volume', outcome: 'skipped', expected: '', received: '', note: 'No sound server' },
  ] as const;
  expect(summarizeResults(results)).toBe('Passed 1, failed 1, skipped 1');
  expect(formatReport([['Desktop', 'Debian 12, X11']], results).split('\n')).toEqual([
    'Pegboard self-check',
    'Desktop: Debian 12, X11',
    'Passed 1, failed 1, skipped 1',
    '',
    '✔ ASCII: passed in 42 ms',
    '✘ Lines: failed',
    '    expected: "a\\nb"',
    '    received: "a"',
    '    why',
    '– Volume: skipped',
    '    No sound server',
    '',
  ]);
});

test('the prose has two hundred characters, and the long text as many different ones as it says', () => {
  expect(Array.from(getText('200 characters of prose'))).toHaveLength(200);
  expect(new Set(getText('600 different characters')).size).toBe(600);
});
