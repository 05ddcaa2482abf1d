import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitIntoChunks, parseExport, type AwayEvent, type ComputerExport } from './activityWatchExport.ts';

/** 2 January 2026, 10:00 UTC. */
const TEN = 1_767_348_000_000;

const toRange = (from: number, duration: number): AwayEvent => ({ timestamp: '', at: TEN + from * 1000, duration });
const touches = (one: AwayEvent, other: AwayEvent): boolean =>
  one.at < other.at + other.duration * 1000 && other.at < one.at + one.duration * 1000;

const bucket = (type: string, hostname: string, events: unknown) => ({ type, hostname, client: 'aw', events });
const event = (timestamp: string, duration: number, data: object) => ({ id: 1, timestamp, duration, data });

test('windows and times away of each computer are read from an export, in order of time', () => {
  const file = {
    buckets: {
      'aw-watcher-window_laptop': bucket('currentwindow', 'laptop', [
        event('2026-01-02T10:05:00+00:00', 60, { app: 'Firefox', title: 'x' }),
        event('2026-01-02T10:00:00.123000+00:00', 30.5, { app: 'Code', title: 'y' }),
      ]),
      'aw-watcher-afk_laptop': bucket('afkstatus', 'laptop', [
        event('2026-01-02T10:00:10Z', 5, { status: 'afk' }),
        event('2026-01-02T10:00:15Z', 500, { status: 'not-afk' }),
      ]),
      'aw-watcher-web_laptop': bucket('web.tab.current', 'laptop', [
        event('2026-01-02T10:05:00Z', 60, { url: 'https://example.org' }),
      ]),
      'aw-watcher-window_box': bucket('currentwindow', 'box', [event('2026-01-02T10:00:00Z', 1, { app: 'mpv' })]),
      'aw-watcher-afk_idle': bucket('afkstatus', 'idle', []),
    },
  };
  expect(parseExport(file)).toEqual([
    {
      hostname: 'laptop',
      window: [
        { timestamp: '2026-01-02T10:00:00.123000+00:00', at: TEN + 123, duration: 30.5, app: 'Code' },
        { timestamp: '2026-01-02T10:05:00+00:00', at: TEN + 300_000, duration: 60, app: 'Firefox' },
      ],
      away: [{ timestamp: '2026-01-02T10:00:10Z', at: TEN + 10_000, duration: 5 }],
    },
    { hostname: 'box', window: [{ timestamp: '2026-01-02T10:00:00Z', at: TEN, duration: 1, app: 'mpv' }], away: [] },
  ]);
});

test('invalid events are skipped, and other files are recognized', () => {
  const odd = [
    null,
    1,
    [],
    event('yesterday', 1, { app: 'a' }),
    event('2026-02-31T10:00:00Z', 1, { app: 'a' }),
    event('2026-01-02T10:00:00', 1, { app: 'a' }),
    event('2026-01-02T10:00:00Z', -1, { app: 'a' }),
    event('2026-01-02T10:00:00Z', Number.NaN, { app: 'a' }),
    event('2026-01-02T10:00:00Z', 1, { app: '' }),
    event('2026-01-02T10:00:00Z', 1, { app: 7 }),
    { timestamp: '2026-01-02T10:00:00Z', duration: 1 },
    event('2026-01-02T10:00:00Z', 1, { app: 'real' }),
  ];
  const parsed = parseExport({ buckets: { one: bucket('currentwindow', '', odd), two: null, three: { events: {} } } });
  expect(parsed).toEqual([
    {
      hostname: 'unknown',
      window: [{ timestamp: '2026-01-02T10:00:00Z', at: TEN, duration: 1, app: 'real' }],
      away: [],
    },
  ]);
  fc.assert(fc.property(fc.anything(), (anything) => (parseExport({ buckets: { anything } }) ?? []).length === 0));
  for (const none of [null, [], 'text', 3, {}, { buckets: [] }, { buckets: null }])
    expect(parseExport(none)).toBeUndefined();
  expect(parseExport({ buckets: {} })).toEqual([]);
});

test('however it is split, each window is in one chunk, with all times away that overlap it', () => {
  const times = fc.array(fc.record({ from: fc.nat(2000), duration: fc.nat(900) }), { maxLength: 30 });
  const recorded: fc.Arbitrary<ComputerExport> = fc
    .record({ windows: times, aways: times })
    .map(({ windows, aways }) => ({
      hostname: 'laptop',
      window: windows
        .toSorted((one, other) => one.from - other.from)
        .map(({ from, duration }, index) => ({ ...toRange(from, duration), app: `app ${index}` })),
      away: aways.toSorted((one, other) => one.from - other.from).map(({ from, duration }) => toRange(from, duration)),
    }));
  fc.assert(
    fc.property(recorded, fc.integer({ min: 1, max: 7 }), (computer, max) => {
      const chunks = splitIntoChunks(computer, max);
      expect(chunks.flatMap(({ window }) => window)).toEqual(computer.window);
      for (const { window, away } of chunks) {
        expect(window.length).toBeLessThanOrEqual(max);
        for (const one of computer.away)
          if (window.some((each) => touches(each, one))) expect(away).toContainEqual(one);
      }
    }),
  );
});
