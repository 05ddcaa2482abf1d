const two = (value: number): string => String(value).padStart(2, '0');

/** '19-11-2026'. */
export const shortDate = (iso: string): string => {
  const moment = new Date(iso);
  return `${two(moment.getDate())}-${two(moment.getMonth() + 1)}-${moment.getFullYear()}`;
};

/** 'today, 09:58' or 'Thursday 19-11-2026, 22:41'. */
export const moment = (iso: string): string => {
  const then = new Date(iso);
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`;
  if (then.toDateString() === new Date().toDateString()) return `today, ${time}`;
  return `${then.toLocaleDateString('en', { weekday: 'long' })} ${shortDate(iso)}, ${time}`;
};
