import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { type ServerContext, handle, type Handler } from '#platform/server/tool.ts';
import { changetag, restoretag, settags } from '../../contract/events.ts';
import { checkedTag } from '../domain/eventDraft.ts';
import { isReservedTag } from '../domain/tags.ts';
import type { LiveCalendar } from './createCalendar.ts';
import { live, type OwnTag } from './store/tagStore.ts';

const COLOUR = /^#[0-9a-f]{6}$/i;

const checkedColour = (colour: string): string => {
  if (!COLOUR.test(colour)) throw new Refusal('colour: written like #3B82C4');
  return colour.toUpperCase();
};

/** @throws Refusal where a tag cannot be called so beside the others. */
const checkedName = (text: string, tag: OwnTag, others: readonly OwnTag[]): string => {
  const name = checkedTag(text);
  if (isReservedTag(name)) throw new Refusal(`${name} is a built-in tag: take another name`);
  const same = others.find((other) => other.name === name && other.id !== tag.id);
  if (same?.deleted !== undefined)
    throw new Refusal(`A deleted tag is called ${name}: bring it back, or take another name`);
  if (same) throw new Refusal(`There is a tag called ${name} already`);
  return name;
};

export const tagCalls = ({ now }: ServerContext, calendar: LiveCalendar): readonly Handler[] => {
  const { book, tags } = calendar.stores;

  const named = async (tx: Transaction<unknown>, account: number, text: string) => {
    const own = await tags.ownTags(account, tx);
    return { own, tag: own.find(({ name }) => name === text.trim()) };
  };

  return [
    handle(settags, async ({ tags: names }, { account, session }) => {
      const stay = new Set(names.map((name) => name.trim()));
      const newest = await tags.newestSeen(session);
      const deletable = (own: readonly OwnTag[]) => live(own).filter(({ id, name }) => id <= newest && !stay.has(name));
      // Most often nothing goes: then nothing is written, and nobody is told.
      if (deletable(await tags.ownTags(account)).length === 0) return {};
      await calendar.change(account, undefined, async (tx) => {
        const { last } = await book.raise(tx, account, 1);
        const ids = deletable(await tags.ownTags(account, tx)).map(({ id }) => id);
        await tags.touch(tx, account, ids, last);
        await tags.change(tx, account, { ids, deleted: now().epochMilliseconds });
      });
      return {};
    }),
    handle(changetag, async ({ name, colour, newname }, { account, session }) => {
      await calendar.change(account, undefined, async (tx) => {
        const { last } = await book.raise(tx, account, 1);
        const { own, tag } = await named(tx, account, name);
        if (isReservedTag(name.trim())) throw new Refusal('A built-in tag cannot be changed');
        if (tag === undefined || tag.deleted !== undefined) throw new Refusal('There is no such tag');
        const ids = [tag.id];
        if (colour !== undefined) await tags.change(tx, account, { ids, colour: checkedColour(colour) });
        if (newname === undefined) return;
        await tags.change(tx, account, { ids, name: checkedName(newname, tag, own) });
        await tags.touch(tx, account, ids, last);
      });
      return { tags: await tags.of(account, session) };
    }),
    handle(restoretag, async ({ name }, { account, session }) => {
      await calendar.change(account, undefined, async (tx) => {
        const { last } = await book.raise(tx, account, 1);
        const { tag } = await named(tx, account, name);
        if (tag?.deleted === undefined) throw new Refusal('There is no such deleted tag');
        await tags.change(tx, account, { ids: [tag.id], deleted: null });
        await tags.touch(tx, account, [tag.id], last);
      });
      return { tags: await tags.of(account, session) };
    }),
  ];
};
