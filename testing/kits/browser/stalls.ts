const CHECK_INTERVAL_MS = 50;

/** Measures the longest stall of this process, in milliseconds. `onLonger` is called for each new maximum. */
export function monitorStalls(
  onLonger: (ms: number) => void = () => undefined,
): Disposable & { readonly longest: () => number } {
  let lastTick = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const stall = now - lastTick - CHECK_INTERVAL_MS;
    lastTick = now;
    if (stall <= longest) return;
    longest = stall;
    onLonger(stall);
  }, CHECK_INTERVAL_MS);
  return { longest: () => longest, [Symbol.dispose]: () => clearInterval(timer) };
}
