const two = (value: number): string => String(value).padStart(2, '0');

/** The day so many before today in the browser's zone, ISO. */
export function dayBefore(days: number): string {
  const now = new Date();
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The browser's day, ISO. */
export function today(): string {
  return dayBefore(0);
}
