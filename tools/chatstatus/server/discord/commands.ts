import type { Order } from '../chatPlatform.ts';

const SUBCOMMAND = 1;

const DESCRIPTIONS: Readonly<Record<Order, string>> = {
  start: 'Records your status from now on, and gives you a code to see your days',
  code: 'Gives you a new code; the one before shows nothing any more',
  stop: 'Ends the recording; what was recorded stays',
  forget: 'Deletes everything that was recorded of you',
};

export const isOrder = (name: string): name is Order => Object.hasOwn(DESCRIPTIONS, name);

export const COMMAND = 'schedule';

/** What the bot offers in Discord, as its API takes it. */
export const commands = [
  {
    name: COMMAND,
    description: 'Your days of online, idle and offline',
    options: Object.entries(DESCRIPTIONS).map(([name, description]) => ({ type: SUBCOMMAND, name, description })),
  },
];
