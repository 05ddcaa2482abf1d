import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { removecookies, setcookies } from '../../contract.ts';
import { BadCookies, parseCookies, sitesOf } from '../domain/cookies.ts';
import type { CookieStore } from './cookieStore.ts';

/** The sites that an account has cookies for; never a cookie itself. */
export const cookieStateOf = async (cookies: CookieStore, account: number): Promise<readonly string[]> =>
  sitesOf((await cookies.get(account))?.cookies ?? []);

export const cookieCalls = ({ now }: Pick<ServerContext, 'now'>, cookies: CookieStore): readonly Handler[] => [
  handle(setcookies, async ({ text }, { account }) => {
    const plain = replaceUnstorable(text);
    try {
      parseCookies(plain);
    } catch (error) {
      if (error instanceof BadCookies) throw new Refusal(error.message);
      throw error;
    }
    await cookies.set(account, plain, now().epochMilliseconds);
    return { sites: [...(await cookieStateOf(cookies, account))] };
  }),
  handle(removecookies, async (_request, { account }) => {
    await cookies.remove(account);
    return {};
  }),
];
