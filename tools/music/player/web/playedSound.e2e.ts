import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { CHROMIUM } from '#testing/kits/browser/chromium.ts';
import { getSoundSkipReason, startSoundServer } from '#testing/kits/desktop/sound.ts';
import { getToneHertz, createListener, STEP_HERTZ } from '#testing/kits/media/listener.ts';
import { startMusicServer } from '#testing/kits/media/songs.ts';
import { getSkipReason } from '#testing/machine.ts';

/** A longer silence is an audible gap. */
const GAP_MS = 50;
const RATE = 48_000;
const PER_MS = RATE / 1000;
/** Quieter samples are silence. */
const LOUD = 30;
/** A busy machine may be late at one change, but hardly at all of them. */
const SONGS = [4, 4, 4, 4, 4, 4, 30];
const WINDOW = RATE / 20;

const skipReason = getSkipReason('chromium', 'ffmpeg') ?? getSoundSkipReason('pulseaudio');

/** Returns the frequency of a range of samples. */
function measureHertz(samples: Int16Array, from: number): number {
  let crossings = 0;
  for (let at = from + 1; at < from + WINDOW; at += 1)
    if ((samples[at - 1] ?? 0) < 0 !== (samples[at] ?? 0) < 0) crossings += 1;
  return (crossings / 2) * (RATE / WINDOW);
}

/** Returns where each tone but the first starts. */
function findChanges(samples: Int16Array): readonly number[] {
  const frequencies = Array.from({ length: Math.floor(samples.length / WINDOW) - 1 }, (_, at) =>
    measureHertz(samples, at * WINDOW),
  );
  return SONGS.slice(1).map((_, at) => {
    const halfWay = getToneHertz(at) + STEP_HERTZ / 2;
    return WINDOW * frequencies.findIndex((hertz, place) => hertz > halfWay && (frequencies[place + 1] ?? 0) > halfWay);
  });
}

/** Returns the longest silence in a range, in ms. */
function measureSilenceMs(samples: Int16Array, from: number, until: number): number {
  let [longest, quiet] = [0, 0];
  for (let at = Math.max(0, from); at < until; at += 1) {
    quiet = Math.abs(samples[at] ?? 0) > LOUD ? 0 : quiet + 1;
    longest = Math.max(longest, quiet);
  }
  return longest / PER_MS;
}

// Songs are played to their end and recorded.
describe.skipIf(skipReason)(`the audio output${skipReason ?? ''}`, { timeout: 240_000 }, () => {
  test('the next song starts directly after the last one', async () => {
    await using sound = await startSoundServer('pulseaudio');
    await using server = await startMusicServer();
    const { account } = await createListener({ server }, SONGS);
    const browser = await chromium.launch({
      ...CHROMIUM,
      // Playwright mutes headless browsers.
      ignoreDefaultArgs: ['--mute-audio'],
      env: { ...process.env, ...sound.env },
    });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => browser.close());
    const page = await browser.newPage();
    await page.context().addCookies([{ name: 'usertoken', value: account.token, url: server.origin }]);
    await page.goto(`${server.origin}/musicmusic`);
    await page.getByRole('button', { name: 'Expand Evening walk' }).click();

    const words = ['--record', '--device=speakers.monitor', '--format=s16le', `--rate=${RATE}`, '--channels=1'];
    const recorder = spawn('pacat', [...words, '--latency-msec=20'], { env: sound.env });
    const pieces: Buffer[] = [];
    recorder.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    // The monitor delivers silence immediately.
    await once(recorder.stdout, 'data');
    await page.getByRole('button', { name: 'Play Tone 1' }).first().click();
    const bar = page.getByRole('region', { name: 'Player' });
    await bar.getByText(`Tone ${SONGS.length}`).waitFor();
    // For a moment the times are still those of the last song.
    await bar.getByText('0:30').waitFor();
    await bar.getByText(/^0:(0[2-9]|1\d|2\d)$/).waitFor();
    recorder.kill();
    await once(recorder, 'close');

    const all = Buffer.concat(pieces);
    const samples = new Int16Array(all.buffer, all.byteOffset, Math.floor(all.length / 2));
    const changes = findChanges(samples);
    for (const [place, change] of changes.entries())
      expect(change - (changes[place - 1] ?? 0), `tone ${place + 1} is heard`).toBeGreaterThan(2 * RATE);
    const gaps = changes.map((change) => measureSilenceMs(samples, change - RATE / 4, change + RATE / 4));
    // Two elements take turns, and each of them must be able to do it.
    for (const [player, own] of [gaps.filter((_, at) => at % 2 === 0), gaps.filter((_, at) => at % 2 === 1)].entries())
      expect(Math.min(...own), `player ${player} follows, after silences of ${gaps.join(', ')} ms`).toBeLessThan(
        GAP_MS,
      );
  });
});
