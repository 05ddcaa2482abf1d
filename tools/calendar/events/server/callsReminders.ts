import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { calendarreminder, setcalendarreminder } from '../../contract/exchange.ts';
import { isTime } from '../domain/time.ts';
import type { Calendar } from './calendar.ts';
import { morningOf } from './reminders.ts';
import { reminderStore } from './reminderStore.ts';

export const reminderCalls = (ground: ServerContext, _calendar: Calendar): readonly Handler[] => {
  const store = reminderStore(ground.database);
  const answerOf = async (account: number) => {
    const { isOn, at, sentDay } = await store.of(account);
    const { day } = await morningOf(ground, account);
    return { on: isOn, at, sent: sentDay === day };
  };
  return [
    handle(calendarreminder, async (_request, { account }) => answerOf(account)),
    handle(setcalendarreminder, async ({ on, at }, { account }) => {
      if (!isTime(at)) throw new Refusal('The time of the reminder is written like 08:00');
      await store.set(account, { isOn: on, at });
      return answerOf(account);
    }),
  ];
};
