import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLine, parseSiteId, toFetchProgress, toProcessingProgress } from './ytdlpProgress.ts';

const parseSong = (fields: object) => parseLine(`PI${JSON.stringify(fields)}`);

test('the song is read from its line', () => {
  expect(
    parseSong({
      id: 'abc',
      title: 'A song (official)',
      track: 'A song',
      artist: 'Somebody',
      duration: 180.5,
      extractor_key: 'Youtube',
    }),
  ).toEqual({
    kind: 'found',
    found: {
      title: 'A song',
      artist: 'Somebody',
      album: '',
      seconds: 180.5,
      site: 'Youtube',
      siteId: 'abc',
      isLive: false,
      isOfList: false,
    },
  });
});

test('missing fields and fields of another type are unknown', () => {
  expect(parseSong({ title: null, duration: '3', artist: {}, id: 5, extractor_key: 'Generic' })).toEqual({
    kind: 'found',
    found: {
      title: '',
      artist: '',
      album: '',
      seconds: undefined,
      site: '',
      siteId: '',
      isLive: false,
      isOfList: false,
    },
  });
});

test('live and upcoming streams and the first song of a list are recognized', () => {
  expect(parseSong({ is_live: true })).toMatchObject({ found: { isLive: true } });
  expect(parseSong({ live_status: 'is_upcoming' })).toMatchObject({ found: { isLive: true } });
  expect(parseSong({ live_status: 'was_live' })).toMatchObject({ found: { isLive: false } });
  expect(parseSong({ playlist_id: 'PL1' })).toMatchObject({ found: { isOfList: true } });
  expect(parseSong({ n_entries: 250 })).toMatchObject({ found: { isOfList: true } });
});

test('only the id of a specific site identifies a song beside its address', () => {
  expect(parseSiteId('Youtube', 'abc')).toEqual({ site: 'Youtube', siteId: 'abc' });
  for (const none of [
    parseSiteId('Generic', 'song'),
    parseSiteId('', 'song'),
    parseSiteId('Youtube', ''),
    parseSiteId('X', 'x'.repeat(201)),
  ])
    expect(none).toEqual({ site: '', siteId: '' });
});

test.each([
  [{ status: 'downloading', downloaded_bytes: 50, total_bytes: 200 }, 25],
  [{ status: 'downloading', downloaded_bytes: 50, total_bytes_estimate: 100.5 }, 49.75],
  [{ status: 'downloading', downloaded_bytes: 500, total_bytes: 200 }, 100],
  [{ status: 'downloading', downloaded_bytes: 50 }, undefined],
  [{ status: 'downloading', total_bytes: 200 }, 0],
  [{ status: 'finished' }, 100],
])('the progress %j is %s per cent', (fields, percent) => {
  const parsed = parseLine(`PB${JSON.stringify(fields)}`);
  expect(parsed).toEqual({ kind: 'bytes', percent: percent === undefined ? undefined : expect.closeTo(percent, 1) });
});

test('a file is recognized by our own names in any folder', () => {
  expect(parseLine('PF"/job/media.mp4"')).toEqual({ kind: 'file', name: 'media.mp4' });
  expect(parseLine('PF"media.webm"')).toEqual({ kind: 'file', name: 'media.webm' });
  for (const other of ['"/etc/passwd"', '"media.mp3/../../x"', '"xmedia.mp3"', '"media.m p3"', '7', 'null'])
    expect(parseLine(`PF${other}`)).toBeUndefined();
});

test('the start of a download is recognized, with the manifest of a stream', () => {
  const url = 'https://a.example/parts.m3u8';
  expect(parseLine(`PS{"protocol":"m3u8_native","url":"${url}"}`)).toEqual({ kind: 'begins', stream: url });
  expect(parseLine(`PS{"protocol":"https","url":"${url}"}`)).toEqual({ kind: 'begins', stream: undefined });
});

test('no line causes an error', () => {
  fc.assert(
    fc.property(fc.constantFrom('PI', 'PB', 'PF', 'PS', ''), fc.oneof(fc.json(), fc.string()), (prefix, rest) => {
      const parsed = parseLine(prefix + rest);
      if (parsed?.kind === 'bytes' && parsed.percent !== undefined) {
        expect(parsed.percent).toBeGreaterThanOrEqual(0);
        expect(parsed.percent).toBeLessThanOrEqual(100);
      }
    }),
  );
});

test('the percentage only grows from downloading to finishing', () => {
  const percentages = [0, 40, 100]
    .flatMap((percent) => toFetchProgress(percent))
    .concat([0, 50, 100].map(toProcessingProgress));
  expect(percentages).toEqual(percentages.toSorted((a, b) => a - b));
  expect([percentages[0], percentages.at(-1)]).toEqual([0, 100]);
});

test('numbers that Python writes and JSON does not have are treated as missing', () => {
  expect(parseLine('PI{"title":"NaN \\" Infinity","duration":NaN,"n_entries":-Infinity}')).toMatchObject({
    found: { title: 'NaN " Infinity', seconds: undefined, isOfList: false },
  });
  expect(parseLine('PB{"status":"downloading","downloaded_bytes":1,"total_bytes":NaN}')).toEqual({
    kind: 'bytes',
    percent: undefined,
  });
});
