import { dayNameBeside, everyName } from '../events/domain/dateNames.ts';
import type { Day } from '../events/domain/day.ts';
import { untilOf, type Repeat } from '../events/domain/event.ts';
import type { LineReading } from '../quickAdd/domain/understand.ts';

const repeatInWords = ({ every, unit, until }: Repeat, today: Day): string => {
  const said = everyName(every, unit);
  if (until.type === 'times') return `${said}, ${until.times + 1} times`;
  return until.type === 'date' ? `${said} until ${dayNameBeside(until.day, today)}` : said;
};

const laterWords = (days: number): string => (days === 0 ? '' : days === 1 ? ' the next day' : ` ${days} days later`);

/** Describes a reading without its name: 'Tuesday 24 November, 09:40, every 2 weeks'. */
export function describe({ day, time, endTime, endDays, pattern }: LineReading, today: Day): string {
  const said = [dayNameBeside(day, today)];
  if (pattern.kind === 'duration') {
    const until = untilOf(day, pattern.duration);
    if (pattern.duration.unit === 'hours') said.push(`for ${pattern.duration.amount} hours`);
    else if (until > day) said.push(`until ${dayNameBeside(until, today)}`);
  }
  if (time !== undefined) said.push(endTime === undefined ? time : `${time} to ${endTime}${laterWords(endDays)}`);
  if (pattern.kind === 'foreign') said.push(pattern.words);
  if (pattern.kind === 'repeat') said.push(repeatInWords(pattern.repeat, today));
  return said.join(', ');
}
