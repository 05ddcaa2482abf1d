import { expect, test } from 'vitest';
import { getUploadTitle, findUploadProblem } from './uploadName.ts';

test.each(
  'wma aiff aif aifc ape wv mka ac3 eac3 amr caf mpc 3gp m4b oga opus spx wav w64 au webm mp4 flac mp3 dsf dff tta tak dts vob avi flv f4v mpeg ts m2ts'.split(
    ' ',
  ),
)('a file with the extension %s is sent', (ending) => {
  expect(findUploadProblem(`Song.${ending}`)).toBe(undefined);
  expect(findUploadProblem(`SONG 2.0.${ending.toUpperCase()} `)).toBe(undefined);
});

test.each(['mid', 'txt', 'jpg', 'zip', 'exe', 'pdf', 'm3u8', 'cue', 'aax', 'm4p', 'log', 'nfo', 'docx', 'rar'])(
  'a file with the extension %s is not sent',
  (ending) => {
    expect(findUploadProblem(`Song.${ending}`)).toMatch(`.${ending} files can't be played here`);
  },
);

test.each([
  'Track 01.Intro',
  '01.Intro',
  'Dr.Dre',
  'Mr.Big',
  'feat.Rihanna',
  'Song No.5',
  'Vol.2',
  '03.Ça ira',
  '1.歌',
])('a title with a full stop is sent: %s', (name) => expect(findUploadProblem(name)).toBe(undefined));

test('a name without an extension is sent', () => {
  for (const name of ['Song', '', 'Dr. No', 'a.b/c', '.']) expect(findUploadProblem(name)).toBe(undefined);
});

test.each([
  ['Song.mp3', 'Song'],
  ['Song.live.FLAC ', 'Song.live'],
  ['Track 01.Intro', 'Track 01.Intro'],
  ['Dr.Dre', 'Dr.Dre'],
  ['Song No.5', 'Song No.5'],
  ['song.mp3.m4a', 'song.mp3'],
  ['noending', 'noending'],
  ['.mp3', ''],
])('a song without tags in the file %s has the title %s', (name, title) => expect(getUploadTitle(name)).toBe(title));
