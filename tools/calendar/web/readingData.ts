import type { Day } from '#platform/contract/day.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { formatDayRelativeTo, formatInterval } from '../events/domain/dateNames.ts';
import { toWire } from '../events/domain/day.ts';
import { getDurationEnd, type Repeat } from '../events/domain/event.ts';
import type { LineReading } from '../quickAdd/domain/interpretLine.ts';
import type { EventData } from './editor/eventData.ts';

function describeRepeat({ every, unit, until }: Repeat, today: Day): string {
  const interval = formatInterval(every, unit);
  if (until.type === 'times') return `${interval}, ${until.times + 1} times`;
  return until.type === 'date' ? `${interval} until ${formatDayRelativeTo(until.day, today)}` : interval;
}

const describeLaterDays = (days: number): string =>
  days === 0 ? '' : days === 1 ? ' the next day' : ` ${days} days later`;

/** Describes a reading without its name: 'Tuesday 24 November, 09:40, every 2 weeks'. */
export function describeReading({ day, time, endTime, endDays, pattern }: LineReading, today: Day): string {
  const words = [formatDayRelativeTo(day, today)];
  if (pattern.kind === 'duration') {
    const until = getDurationEnd(day, pattern.duration);
    if (pattern.duration.unit === 'hours') words.push(`for ${pattern.duration.amount} hours`);
    else if (until > day) words.push(`until ${formatDayRelativeTo(until, today)}`);
  }
  if (time !== undefined)
    words.push(endTime === undefined ? time : `${time} to ${endTime}${describeLaterDays(endDays)}`);
  if (pattern.kind === 'foreign') words.push(pattern.words);
  if (pattern.kind === 'repeat') words.push(describeRepeat(pattern.repeat, today));
  return words.join(', ');
}

function toPatternData({ pattern }: LineReading): Partial<EventData> {
  if (pattern.kind === 'single') return { style: 'calendar' };
  if (pattern.kind === 'duration')
    return { style: 'duration', duration: pattern.duration.amount, durationtype: pattern.duration.unit };
  if (pattern.kind === 'foreign') return { style: 'repeat', rule: pattern.rule.replace('RRULE:', '') };
  const { every, unit, from, until } = pattern.repeat;
  return {
    style: 'repeat',
    repeateveryamount: every,
    repeatevery: unit,
    ...(from.type === 'forever'
      ? { repeatfromtype: 'forever' }
      : { repeatfromtype: 'absoloute', repeatfrom: toWire(from.day) }),
    ...(until.type === 'forever' ? { repeatuntilltype: 'forever' } : {}),
    ...(until.type === 'times' ? { repeatuntilltype: 'relative', repeatuntill: until.times } : {}),
    ...(until.type === 'date' ? { repeatuntilltype: 'absoloute', repeatuntill: toWire(until.day) } : {}),
  };
}

/** Converts a reading to the data of a new event. */
export function toNewEventData(reading: LineReading): EventData {
  return {
    id: 0,
    name: reading.name,
    description: '',
    date: toWire(reading.day),
    participants: [...reading.tags],
    pinned: false,
    time: reading.time ?? '',
    endtime: reading.endTime ?? '',
    ...(reading.endDays === 0 ? {} : { enddate: toWire(reading.day + reading.endDays) }),
    tz: getTimeZone(),
    ...toPatternData(reading),
  };
}
