import { createRandom, type Random } from './random.ts';

const SAMPLE_RATE = 22_050;
const HEADER_BYTES = 44;
const BEATS = 32;
/** Steps of a pentatonic scale in semitones, which sound well in any order. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16] as const;

export interface Tune {
  readonly seed: number;
  /** Hz. */
  readonly base: number;
  readonly beatsPerMinute: number;
}

/** Adds a plucked note to the samples. */
const addNote = (
  samples: Float32Array,
  note: { readonly start: number; readonly frequency: number; readonly volume: number },
): void => {
  const { start, frequency, volume } = note;
  const length = Math.min(samples.length - start, SAMPLE_RATE * 1.6);
  for (let at = 0; at < length; at += 1) {
    const phase = (2 * Math.PI * frequency * at) / SAMPLE_RATE;
    const fade = Math.exp((-3.2 * at) / SAMPLE_RATE) * Math.min(1, at / 120);
    const wave = Math.sin(phase) + 0.4 * Math.sin(2 * phase) + 0.15 * Math.sin(3 * phase);
    samples[start + at] = (samples[start + at] ?? 0) + volume * fade * wave;
  }
};

const toFrequency = (base: number, semitones: number): number => base * 2 ** (semitones / 12);

const walkScale = (position: number, random: Random): number =>
  Math.max(0, Math.min(SCALE.length - 1, position + random.between(-2, 2)));

/** Creates a short tune as a mono WAV file with 16 bits. */
export function createTuneWav({ seed, base, beatsPerMinute }: Tune): Buffer {
  const random = createRandom(seed);
  const samplesPerBeat = Math.round((SAMPLE_RATE * 60) / beatsPerMinute);
  const samples = new Float32Array(samplesPerBeat * (BEATS + 3));
  let position = 2;
  for (let beat = 0; beat < BEATS; beat += 1) {
    const start = beat * samplesPerBeat;
    if (beat % 4 === 0)
      addNote(samples, { start, frequency: toFrequency(base / 2, random.pick([0, -5, -3])), volume: 0.3 });
    position = walkScale(position, random);
    if (random.fraction() < 0.85)
      addNote(samples, { start, frequency: toFrequency(base, SCALE[position] ?? 0), volume: 0.26 });
    if (random.fraction() < 0.35) {
      position = walkScale(position, random);
      const half = start + Math.round(samplesPerBeat / 2);
      addNote(samples, { start: half, frequency: toFrequency(base, SCALE[position] ?? 0), volume: 0.18 });
    }
  }
  const wav = Buffer.alloc(HEADER_BYTES + samples.length * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(SAMPLE_RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples.length * 2, 40);
  for (const [at, sample] of samples.entries())
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_000), HEADER_BYTES + at * 2);
  return wav;
}
