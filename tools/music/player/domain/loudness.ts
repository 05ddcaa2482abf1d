/** What is known of how loud a song is. */
export interface Loudness {
  /** ReplayGain, in dB: what brings it to the common loudness. */
  readonly gain: number;
  /** The highest sample, 1 being full; 0 where nobody measured. */
  readonly peak: number;
}

/** Farther than this no measured song is from the common loudness; a tag that says more is broken. */
const MAX_GAIN_DB = 24;

/** How loud a slider's place is heard: halves seem even to the ear. */
const heardAs = (volume: number): number => (Math.min(100, Math.max(0, volume)) / 100) ** 2;

const factorOf = ({ gain, peak }: Loudness): number => {
  const factor = 10 ** (Math.min(MAX_GAIN_DB, Math.max(-MAX_GAIN_DB, gain)) / 20);
  return peak > 0 ? Math.min(factor, 1 / peak) : factor;
};

/**
 * What a media element's volume is set to, 0 to 1. `volume` is the slider, 0 to 100. Evened, songs sound as loud as one another as far as that
 * goes without one being cut off at its peaks: nothing is ever made louder than full.
 */
export function levelOf(volume: number, loudness: Loudness, isEven: boolean): number {
  return Math.min(1, heardAs(volume) * (isEven ? factorOf(loudness) : 1));
}
