/** Runs the ticks: browsers throttle the timers of hidden pages, but not those of workers. */
let timer: ReturnType<typeof setInterval> | undefined;

/** Receives the interval in milliseconds; 0 stops. */
self.addEventListener('message', ({ data }: MessageEvent<number>) => {
  clearInterval(timer);
  timer = data > 0 ? setInterval(() => self.postMessage(undefined, { transfer: [] }), data) : undefined;
});
