import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { createApiHandler } from './apiHandler.ts';
import { createBuckets } from './buckets.ts';

const MIDNIGHT = '2026-01-01T00:00:00.000Z';

function createApi() {
  const handle = createApiHandler({ buckets: createBuckets(Date.now), hostname: 'laptop', onEvent: () => undefined });
  const send = (path: string, body?: unknown, search = '') =>
    handle({
      method: body === undefined ? 'GET' : 'POST',
      path: path.split('/'),
      query: new URLSearchParams(search),
      body,
    }).body;
  return {
    send,
    beat: (event: object) => send('buckets/b/heartbeat', event, 'pulsetime=0'),
    listStarts: (search: string) =>
      (send('buckets/b/events', undefined, search) as readonly { readonly timestamp: string }[]).map(
        ({ timestamp }) => timestamp,
      ),
  };
}

test.each([
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00.000000',
  '2026-01-01 00:00:00+00:00',
  '2026-01-01T00:00:00,000Z',
  '2025-12-31T19:00:00-0500',
  '2026-01-01',
])('the time of a watcher is in UTC if it has no zone, on a computer in any zone: %s', (timestamp) => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    expect(createApi().beat({ timestamp, duration: 1, data: {} })).toMatchObject({ timestamp: MIDNIGHT });
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('an event without a duration or data, and a bucket without names, are accepted', () => {
  const { send, beat } = createApi();
  expect(beat({ timestamp: MIDNIGHT, duration: null, data: null })).toMatchObject({ duration: 0, data: {} });
  expect(send('buckets/c', { type: null, client: 'watcher', hostname: null })).toEqual({});
  expect(send('buckets/c')).toMatchObject({ type: 'unknown', client: 'watcher', hostname: 'unknown' });
});

test('a date that does not exist and an endless event are refused', () => {
  const { beat } = createApi();
  expect(() => beat({ timestamp: '2026-02-30T00:00:00Z', data: {} })).toThrow(Refusal);
  expect(() => beat({ timestamp: MIDNIGHT, duration: 1e308, data: {} })).toThrow(Refusal);
});

test('events are selected by any time, and by an empty limit not at all', () => {
  const { beat, listStarts } = createApi();
  const [first, second] = [MIDNIGHT, '2026-01-02T00:00:00.000Z'];
  for (const timestamp of [first, second]) beat({ timestamp, data: { timestamp } });
  // An unescaped plus arrives as a space.
  expect(listStarts('start=2026-01-02T00:00:00+00:00')).toEqual([second]);
  expect(listStarts('start=2026-01-02T00:00:00')).toEqual([second]);
  expect(listStarts('end=1970-01-01T00:00:00Z')).toEqual([]);
  expect(listStarts('limit=')).toEqual([second, first]);
  expect(() => listStarts('start=yesterday')).toThrow(Refusal);
});

test('of two events with the same id in one request the last one counts', () => {
  const { send, listStarts } = createApi();
  const events = [MIDNIGHT, '2026-01-02T00:00:00.000Z'].map((timestamp) => ({ id: 1, timestamp, data: {} }));
  send('buckets/b/events', events);
  expect(listStarts('')).toEqual(['2026-01-02T00:00:00.000Z']);
});
