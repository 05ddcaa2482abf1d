/** The measured loudness of a song. */
export interface Loudness {
  /** ReplayGain in dB: the change that brings it to the reference loudness. */
  readonly gain: number;
  /** Peak sample; 1 is full scale, 0 is unknown. */
  readonly peak: number;
}

/** No measured song is farther from the reference loudness, so a larger gain is a broken tag. */
const MAX_GAIN_DB = 24;

/** Converts a slider position to an amplitude. The square makes equal steps sound equal. */
const toAmplitude = (volume: number): number => (Math.min(100, Math.max(0, volume)) / 100) ** 2;

function getFactor({ gain, peak }: Loudness): number {
  const factor = 10 ** (Math.min(MAX_GAIN_DB, Math.max(-MAX_GAIN_DB, gain)) / 20);
  return peak > 0 ? Math.min(factor, 1 / peak) : factor;
}

/**
 * Returns the volume of a media element, 0 to 1. `volume` is the slider position, 0 to 100.
 * If `isEven`, songs are equally loud as far as their peaks allow: nothing is raised above full scale.
 */
export function getElementVolume(volume: number, loudness: Loudness, isEven: boolean): number {
  return Math.min(1, toAmplitude(volume) * (isEven ? getFactor(loudness) : 1));
}
