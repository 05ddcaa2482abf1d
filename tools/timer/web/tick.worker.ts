/** A beat from a thread of its own: browsers slow the timers of a page that is not seen, but not those of its workers. */
let beat: ReturnType<typeof setInterval> | undefined;

/** Told how many milliseconds to beat in; 0 rests. */
self.addEventListener('message', ({ data }: MessageEvent<number>) => {
  clearInterval(beat);
  beat = data > 0 ? setInterval(() => self.postMessage(undefined, { transfer: [] }), data) : undefined;
});
