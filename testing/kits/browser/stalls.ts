const CHECK_INTERVAL_MS = 50;

/** Measures the longest stall of this process, in milliseconds. `onLonger` is called for each new maximum. */
export function monitorStalls(
  onLonger: (ms: number) => void = () => undefined,
): Disposable & { readonly longest: () => number } {
  let [last, longest] = [performance.now(), 0];
  const look = setInterval(() => {
    const now = performance.now();
    const stall = now - last - CHECK_INTERVAL_MS;
    last = now;
    if (stall <= longest) return;
    longest = stall;
    onLonger(stall);
  }, CHECK_INTERVAL_MS);
  return { longest: () => longest, [Symbol.dispose]: () => clearInterval(look) };
}
