const padTwo = (value: number): string => String(value).padStart(2, '0');

/** Returns the ISO date a number of days before today, in the browser's zone. */
export function dayBefore(days: number): string {
  const now = new Date();
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  return `${String(date.getFullYear()).padStart(4, '0')}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`;
}

/** Returns today's ISO date in the browser's zone. */
export function today(): string {
  return dayBefore(0);
}
