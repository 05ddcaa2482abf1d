import { parseIso } from '../../usage/domain/date.ts';
import { weekdayOf } from '../../usage/domain/weekday.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

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
  return `${weekdayOf(parseIso(iso) ?? 0).name.slice(0, 3)} ${day} ${month} ${year}`;
};
