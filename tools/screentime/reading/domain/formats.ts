const two = (value: number): string => String(value).padStart(2, '0');

/** 1204 as `1,204`. Not by `toLocaleString`, which takes a hundred times as long. */
export const grouped = (whole: number): string => String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** Seconds as people read them: `42s`, `57m`, `3h 01m`, `1,204h 10m`. What is not a whole unit is not said. */
export const prettyTime = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole === 0) return '0m';
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}m` : `${grouped(Math.floor(minutes / 60))}h ${two(minutes % 60)}m`;
};

/** Minutes since midnight as `09:05`. */
export const prettyClock = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
