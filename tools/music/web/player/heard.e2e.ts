import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { CHROMIUM } from '#testing/chromium.ts';
import { newListener } from '#testing/listener.ts';
import { lacks } from '#testing/machine.ts';
import { startMusic } from '#testing/songs.ts';
import { lacksSound, startSound } from '#testing/sound.ts';

/** More is heard as a gap. */
const GAP_MS = 50;
const RATE = 48_000;
const PER_MS = RATE / 1000;
/** What is quieter is silence. */
const LOUD = 30;
/** Half of the way between the first two tones. */
const BETWEEN_HERTZ = 495;
const WINDOW = RATE / 20;

const lack = lacks('chromium', 'ffmpeg') ?? lacksSound('pulseaudio');

/** How often a stretch swings in a second. */
const hertzOf = (samples: Int16Array, from: number): number => {
  let crossings = 0;
  for (let at = from + 1; at < from + WINDOW; at += 1)
    if ((samples[at - 1] ?? 0) < 0 !== (samples[at] ?? 0) < 0) crossings += 1;
  return (crossings / 2) * (RATE / WINDOW);
};

/** Where the second tone has taken over. */
const changeIn = (samples: Int16Array): number => {
  const starts = Array.from({ length: Math.floor(samples.length / WINDOW) - 1 }, (_, index) => index * WINDOW);
  const heard = starts.filter((at) => hertzOf(samples, at) > 100);
  return (
    heard.find((at) => hertzOf(samples, at) > BETWEEN_HERTZ && hertzOf(samples, at + WINDOW) > BETWEEN_HERTZ) ?? -1
  );
};

/** The longest silence in a stretch, in ms. */
const silenceIn = (samples: Int16Array, from: number, until: number): number => {
  let [longest, quiet] = [0, 0];
  for (let at = Math.max(0, from); at < until; at += 1) {
    quiet = Math.abs(samples[at] ?? 0) > LOUD ? 0 : quiet + 1;
    longest = Math.max(longest, quiet);
  }
  return longest / PER_MS;
};

describe.skipIf(lack)(`what comes out of the loudspeakers${lack ?? ''}`, () => {
  test('the next song is heard right behind the last', async () => {
    await using sound = await startSound('pulseaudio');
    await using server = await startMusic();
    const { account } = await newListener({ server }, [4, 30]);
    const browser = await chromium.launch({
      ...CHROMIUM,
      // The driver silences what has no window.
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
    // A monitor gives silence at once.
    await once(recorder.stdout, 'data');
    await page.getByRole('button', { name: 'Play Tone 1' }).first().click();
    const bar = page.getByRole('region', { name: 'Player' });
    await bar.getByText('Tone 2').waitFor();
    // For a moment the times are still those of the song before.
    await bar.getByText('0:30').waitFor();
    await bar.getByText(/^0:(0[2-9]|1\d|2\d)$/).waitFor();
    recorder.kill();
    await once(recorder, 'close');

    const all = Buffer.concat(pieces);
    const samples = new Int16Array(all.buffer, all.byteOffset, Math.floor(all.length / 2));
    const change = changeIn(samples);
    expect(change).toBeGreaterThan(2 * RATE);
    expect(silenceIn(samples, change - RATE / 4, change + RATE / 4)).toBeLessThan(GAP_MS);
  });
});
