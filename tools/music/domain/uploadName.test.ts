import { expect, test } from 'vitest';
import { whyNotUploaded } from './uploadName.ts';

test.each(
  'wma aiff aif aifc ape wv mka ac3 eac3 amr caf mpc 3gp m4b oga opus spx wav w64 au webm mp4 flac mp3'.split(' '),
)('a file that ends with %s is sent', (ending) => {
  expect(whyNotUploaded(`Song.${ending}`)).toBe(undefined);
  expect(whyNotUploaded(`SONG 2.0.${ending.toUpperCase()} `)).toBe(undefined);
});

test.each(['mid', 'txt', 'jpg', 'zip', 'exe', 'pdf', 'm3u8', 'cue', 'aax', 'tta'])(
  'one that ends with %s is not',
  (ending) => {
    expect(whyNotUploaded(`Song.${ending}`)).toMatch(`.${ending} files can’t be played here`);
  },
);

test('a name without an ending says nothing', () => {
  for (const name of ['Song', '', 'Dr. No', 'a.b/c', '.']) expect(whyNotUploaded(name)).toBe(undefined);
});
