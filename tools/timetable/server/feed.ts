import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { timetablefeed } from '../contract.ts';
import type { TimetableStore } from './store/timetableStore.ts';

export const feedCalls = (_ground: ServerContext, { book }: TimetableStore): readonly Handler[] => [
  handle(timetablefeed, async ({ on }, { account }) => {
    if (on !== undefined) await book.setInFeed(account, on);
    return { on: (await book.of(account)).isInFeed };
  }),
];
