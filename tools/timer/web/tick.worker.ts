/** Ticks in a worker: browsers throttle the timers of hidden pages, but not those of workers. */
let beat: ReturnType<typeof setInterval> | undefined;

/** Receives the interval in milliseconds; 0 stops. */
self.addEventListener('message', ({ data }: MessageEvent<number>) => {
  clearInterval(beat);
  beat = data > 0 ? setInterval(() => self.postMessage(undefined, { transfer: [] }), data) : undefined;
});
