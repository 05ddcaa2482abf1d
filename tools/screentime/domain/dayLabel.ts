const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const partsOf = (iso: string) => {
  const [year = '', month = '', day = ''] = iso.split('-');
  return { year, month: MONTHS[Number(month) - 1] ?? month, day: String(Number(day)) };
};

/** '11 Nov'; where the year may be asked for, '11 Nov 26'. */
export const dayTick = (iso: string, withYear: boolean): string => {
  const { year, month, day } = partsOf(iso);
  return withYear ? `${day} ${month} ${year.slice(-2)}` : `${day} ${month}`;
};

/** 'Wed 11 Nov 2026'. */
export const dayLabel = (iso: string): string => {
  const { year, month, day } = partsOf(iso);
  const weekday = WEEKDAYS[Temporal.PlainDate.from(iso).dayOfWeek - 1] ?? '';
  return `${weekday} ${day} ${month} ${year}`;
};
