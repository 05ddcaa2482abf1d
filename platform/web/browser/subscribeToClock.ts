/**
 * Calls a listener at the moments that `getDelayMs` returns the time to, and whenever the page is shown: timers of a
 * computer that slept are late. Returns a function that unsubscribes.
 */
export function subscribeToClock(getDelayMs: () => number, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  function scheduleNext(): void {
    timer = setTimeout(() => {
      listener();
      scheduleNext();
    }, getDelayMs());
  }
  scheduleNext();
  document.addEventListener('visibilitychange', listener);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', listener);
  };
}
