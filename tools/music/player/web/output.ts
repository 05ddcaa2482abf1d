/** iPhones and iPads hush what is mixed once the screen is locked; there elements sound by themselves. */
const isApplePhone = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (/Mac/.test(navigator.platform) && navigator.maxTouchPoints > 1);

/** A browser that ends meanwhile, or has closed it, is not asked again. */
const ignore = (): void => undefined;

/**
 * Where the elements sound: mixed into one output that stays open. An element by itself opens the sound card as it begins, which is heard as a
 * gap between two songs.
 */
export const createOutput = (elements: readonly HTMLAudioElement[]) => {
  let context: AudioContext | undefined;
  return {
    /** In the press of a button: before one the browser lets nothing sound. */
    open: (): void => {
      if (context || isApplePhone() || !('AudioContext' in globalThis)) return;
      context = new AudioContext({ latencyHint: 'playback' });
      for (const element of elements) context.createMediaElementSource(element).connect(context.destination);
    },
    run: (): void => void context?.resume().catch(ignore),
    /** Nothing is to be heard: the sound card may sleep. */
    rest: (): void => void context?.suspend().catch(ignore),
  };
};
