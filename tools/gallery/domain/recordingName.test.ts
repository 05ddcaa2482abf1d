import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanTitle, isRecordingName, getStartFromName, getTitleFromName } from './recordingName.ts';

function formatStart(name: string): string | undefined {
  const start = getStartFromName(name, 'Europe/Berlin');
  return start === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(start).toString();
}

test.each([
  ['2026-11-20 21-04-05.mkv', '2026-11-20T20:04:05Z', ''],
  ['Screencast from 2026-11-20 21-04-05.webm', '2026-11-20T20:04:05Z', 'Screencast'],
  ['Replay_2026-07-20_21-04-05.mp4', '2026-07-20T19:04:05Z', 'Replay'],
  ['VID_20261120_210405.mp4', '2026-11-20T20:04:05Z', 'VID'],
  ['2026-11-20 at 21.04.05 boss fight.mov', '2026-11-20T20:04:05Z', 'boss fight'],
  ['2026-11-20T21:04.mkv', '2026-11-20T20:04:00Z', ''],
  ['2026-11-20_21-04-05Z-laptop.mkv', '2026-11-20T21:04:05Z', 'laptop'],
  // GNOME, and a converted file
  ['Screencast from 2026-11-25 21-40-05.webm.mkv', '2026-11-25T20:40:05Z', 'Screencast'],
  ['Screencast From 2026-11-25 21-40-05.mp4', '2026-11-25T20:40:05Z', 'Screencast'],
  ['Screencast from 25.11.2026 21:40:05.webm', '2026-11-25T20:40:05Z', 'Screencast'],
  ['Screencast from 11-25-2026 09:40:05 PM.webm', '2026-11-25T20:40:05Z', 'Screencast'],
  ['Bildschirmaufzeichnung vom 2026-11-25 21-40-05.webm', '2026-11-25T20:40:05Z', 'Bildschirmaufzeichnung'],
  // KDE Spectacle
  ['Screencast_20261125_214005.webm', '2026-11-25T20:40:05Z', 'Screencast'],
  ['Screencast_2026-11-25_21-40-05.mp4', '2026-11-25T20:40:05Z', 'Screencast'],
  // OBS, with several of its templates
  ['2026-11-25_21-40-05.mkv', '2026-11-25T20:40:05Z', ''],
  ['20261125-214005.mkv', '2026-11-25T20:40:05Z', ''],
  ['20261125214005.flv.mp4', '2026-11-25T20:40:05Z', ''],
  ['Replay 2026-11-25 21-40-05.mkv', '2026-11-25T20:40:05Z', 'Replay'],
  ['2026-11-25 21-40-05-vertical.mp4', '2026-11-25T20:40:05Z', 'vertical'],
  ['11-25-26 09-40-05 PM.mkv', '2026-11-25T20:40:05Z', ''],
  ['Aufnahme 25.11.26 21.40.05.mkv', '2026-11-25T20:40:05Z', 'Aufnahme'],
  ['26-11-25 21-40-05.mkv', '2026-11-25T20:40:05Z', ''],
  ['2026.11.25 21.40 Boss fight.mkv', '2026-11-25T20:40:00Z', 'Boss fight'],
  // Windows: several versions of Game Bar, Snipping Tool, ShadowPlay, ReLive, Bandicam
  ['Halo Infinite 2026-11-25 21-40-05.mp4', '2026-11-25T20:40:05Z', 'Halo Infinite'],
  ['Desktop 11_25_2026 9_40_05 PM.mp4', '2026-11-25T20:40:05Z', 'Desktop'],
  ['Desktop 25_11_2026 21_40_05.mp4', '2026-11-25T20:40:05Z', 'Desktop'],
  ['Screen Recording 2026-11-25 214005.mp4', '2026-11-25T20:40:05Z', 'Screen Recording'],
  ['Bildschirmaufzeichnung 2026-11-25 214005.mp4', '2026-11-25T20:40:05Z', 'Bildschirmaufzeichnung'],
  ['Desktop 2026.11.25 - 21.40.05.03.DVR.mp4', '2026-11-25T20:40:05Z', 'Desktop'],
  ['Counter-strike 2_2026.11.25-21.40.mp4', '2026-11-25T20:40:00Z', 'Counter-strike 2'],
  ['bandicam 2026-11-25 21-40-05-123.mp4', '2026-11-25T20:40:05Z', 'bandicam'],
  // macOS, with the narrow space before PM, and in other languages
  ['Screen Recording 2026-11-25 at 21.40.05.mov', '2026-11-25T20:40:05Z', 'Screen Recording'],
  ['Screen Recording 2026-11-25 at 9.40.05\u202fPM.mov', '2026-11-25T20:40:05Z', 'Screen Recording'],
  ['Screen Recording 2026-11-25 at 12.05.09\u202fAM.mov', '2026-11-24T23:05:09Z', 'Screen Recording'],
  ['Bildschirmaufnahme 2026-11-25 um 21.40.05.mov', '2026-11-25T20:40:05Z', 'Bildschirmaufnahme'],
  ['Enregistrement de l’écran 2026-11-25 à 21.40.05.mov', '2026-11-25T20:40:05Z', 'Enregistrement de l’écran'],
  ['Grabación de pantalla 2026-11-25 a las 9.40.05 p. m..mov', '2026-11-25T20:40:05Z', 'Grabación de pantalla'],
  ['Gravação de Tela 2026-11-25 às 21.40.05.mov', '2026-11-25T20:40:05Z', 'Gravação de Tela'],
  ['录屏2026-11-25 下午9.40.05.mov', '2026-11-25T20:40:05Z', '录屏'],
  ['画面収録 2026-11-25 21.40.05.mov', '2026-11-25T20:40:05Z', '画面収録'],
  // Phones: Android, Samsung, Xiaomi, Pixel (in UTC), iOS
  ['screen-20261125-214005.mp4', '2026-11-25T20:40:05Z', 'screen'],
  ['Screen_Recording_20261125_214005_Chrome.mp4', '2026-11-25T20:40:05Z', 'Screen Recording Chrome'],
  ['Screen_Recording_20261125-214005_One UI Home.mp4', '2026-11-25T20:40:05Z', 'Screen Recording One UI Home'],
  ['Screenrecorder-2026-11-25-21-40-05-123.mp4', '2026-11-25T20:40:05Z', 'Screenrecorder'],
  ['20261125_214005.mp4', '2026-11-25T20:40:05Z', ''],
  ['VID_20261125_214005123.mp4', '2026-11-25T20:40:05Z', 'VID'],
  ['PXL_20261125_204005123.mp4', '2026-11-25T20:40:05Z', 'PXL'],
  ['ScreenRecording_11-25-2026 21-40-05_1.MP4', '2026-11-25T20:40:05Z', 'ScreenRecording 1'],
  ['RPReplay_Final1795639205.mp4', '2026-11-25T20:40:05Z', 'RPReplay Final'],
  ['VID-20261125-WA0001.mp4', undefined, 'VID-20261125-WA0001'],
  ['IMG_1234.MOV', undefined, 'IMG 1234'],
  // VLC, Zoom, Teams, Meet, consoles
  ['vlc-record-2026-11-25-21h40m05s-holiday.mp4-.mp4', '2026-11-25T20:40:05Z', 'vlc-record holiday'],
  ['GMT20261125-204005_Recording_1920x1080.mp4', '2026-11-25T20:40:05Z', 'Recording 1920x1080'],
  ['Call with Ada-20261125_204005UTC-Meeting Recording.mp4', '2026-11-25T20:40:05Z', 'Call with Ada Meeting Recording'],
  ['abc-defg-hij (2026-11-25 at 12:40 GMT-8).mp4', '2026-11-25T20:40:00Z', 'abc-defg-hij'],
  ['Team sync – 2026_11_25 21_40 CET – Recording.mp4', '2026-11-25T20:40:00Z', 'Team sync Recording'],
  ['Astro Bot_20261125214005.mp4', '2026-11-25T20:40:05Z', 'Astro Bot'],
  ['2026112521400500-A1B2C3.mp4', '2026-11-25T20:40:05Z', 'A1B2C3'],
  // No time, although there are numbers
  ['holidays.avi', undefined, 'holidays'],
  ['Episode 2. The boss v1.2.mkv', undefined, 'Episode 2. The boss v1.2'],
  ['1920x1080 60.00 fps.mkv', undefined, '1920x1080 60.00 fps'],
  ['2026-02-31 21-04-05.mkv', undefined, '2026-02-31 21-04-05'],
  ['1234202611202104051.mkv', undefined, '1234202611202104051'],
])('%s was recorded at %s and has the title %j', (name, start, title) => {
  expect(formatStart(name)).toBe(start);
  expect(getTitleFromName(name)).toBe(title);
});

test('if day and month are ambiguous, the modification time decides', () => {
  const name = 'Desktop 10_11_2026 21_40_05.mp4';
  const getStartNear = (text: string) => getStartFromName(name, 'UTC', Temporal.Instant.from(text).epochMilliseconds);
  expect(getStartNear('2026-11-10T22:00:00Z')).toBe(Temporal.Instant.from('2026-11-10T21:40:05Z').epochMilliseconds);
  expect(getStartNear('2026-10-11T22:00:00Z')).toBe(Temporal.Instant.from('2026-10-11T21:40:05Z').epochMilliseconds);
});

test('a time that occurs twice or never on its day is still a time of that day', () => {
  expect(formatStart('2026-10-25 02-30-00.mkv')).toBe('2026-10-25T00:30:00Z');
  expect(formatStart('2026-03-29 02-30-00.mkv')).toBe('2026-03-29T01:30:00Z');
});

test('videos are imported; hidden files, lists and partial files are not', () => {
  expect(['a.mkv', 'b.MP4', 'c.webm', 'd.mov', 'e.avi', 'f.ts'].every(isRecordingName)).toBe(true);
  expect(['.a.mkv', 'b.mkv.part', 'c.m3u8', 'd.txt', 'mkv', '.mkv', ''].some(isRecordingName)).toBe(false);
});

test('the title of any file is one line of valid characters, and normalizing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const title = getTitleFromName(name);
      expect(title.isWellFormed()).toBe(true);
      expect(title).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(Array.from(title).length).toBeLessThanOrEqual(200);
      expect(cleanTitle(title)).toBe(title);
    }),
  );
});
