import { getTimeZone } from '#platform/web/browser/formats.ts';
import { toWire } from '../events/domain/day.ts';
import type { LineReading } from '../quickAdd/domain/understand.ts';
import type { EventData } from './editor/eventData.ts';

const toPatternData = ({ pattern }: LineReading): Partial<EventData> => {
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
};

/** Converts a reading to the data of a new event. */
export function dataOfReading(reading: LineReading): EventData {
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
