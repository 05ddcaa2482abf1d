import { ruleIn } from '#tools/calendar/repeat/domain/recurrenceRule.ts';
import { linesOf, type Component } from './component.ts';
import { rawValueOf } from './contentLines.ts';
import type { ReadContext } from './listedDays.ts';
import { endedRule, hasOwnTime, type EndedRule } from './ruleEnds.ts';
import type { EventTime } from './when.ts';

/** Reads the rules of days that are left out (`EXRULE`). */
export function exclusionRulesOf(
  component: Component,
  when: EventTime,
  { reader, note }: ReadContext,
): readonly EndedRule[] {
  return linesOf(component, 'EXRULE').flatMap((line): readonly EndedRule[] => {
    const text = rawValueOf(line);
    const rule = ruleIn(text);
    if (typeof rule === 'string') {
      reader.tell('A rule of days that are left out of it is not understood; they are not left out');
      note('a rule of days to leave out is not understood');
      return [];
    }
    // At other times of the day there is nothing to leave out.
    return hasOwnTime(text, when) ? [endedRule(rule, text, when, reader)] : [];
  });
}
