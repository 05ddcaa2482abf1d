const CHECK_INTERVAL_MS = 50;

/** How long this process stood still at the longest, in ms. `onLonger` is told of each stall that is longer than all before it. */
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
