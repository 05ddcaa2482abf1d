import { hash } from 'node:crypto';
import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import { makeapppassword } from '#tools/accounts/contract.ts';
import type { TestAccount, TestServer } from '../server/server.ts';

type Sent = Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;

/** What is within `subsonic-response`. */
export type PlayerAnswer = Readonly<Record<string, unknown>> & {
  readonly status: 'ok' | 'failed';
  readonly error?: { readonly code: number; readonly message: string };
};

/** A music player by hand: what it sends is what is sent. */
export interface TestPlayer {
  readonly username: string;
  readonly password: string;
  /** The ways in which players show a password. */
  readonly token: Sent;
  readonly plain: Sent;
  readonly hidden: Sent;
  readonly key: Sent;
  /** As it comes, and with nothing but what is given here. */
  readonly fetch: (call: string, sent?: Sent, how?: RequestInit) => Promise<Response>;
  /** In JSON, signed in by a token. */
  readonly request: (call: string, sent?: Sent) => Promise<PlayerAnswer>;
  /** The root of the XML, signed in by a token. */
  readonly requestXml: (call: string, sent?: Sent) => Promise<XmlElement | undefined>;
}

const formOf = (sent: Sent): URLSearchParams => {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(sent)) for (const one of [value].flat()) form.append(name, String(one));
  return form;
};

/** What `ask` gives, of an answer in JSON. */
export async function parsePlayerAnswer(response: Response): Promise<PlayerAnswer> {
  return ((await response.json()) as { readonly 'subsonic-response': PlayerAnswer })['subsonic-response'];
}

/** A player with a new app password of an account's. */
export async function createPlayer({ origin }: Pick<TestServer, 'origin'>, account: TestAccount): Promise<TestPlayer> {
  const { password } = await account.call(makeapppassword, { name: 'Player', kind: 'music' });
  const username = account.name;
  const salt = 'c19b2d';
  const token = { u: username, t: hash('md5', password + salt, 'hex'), s: salt };
  const about = { v: '1.16.1', c: 'test' };
  const send = async (call: string, sent: Sent = {}, how?: RequestInit): Promise<Response> => {
    const form = formOf(sent);
    if (how?.method === 'POST') return fetch(`${origin}/rest/${call}`, { ...how, body: form });
    return fetch(`${origin}/rest/${call}?${form.toString()}`, how);
  };
  return {
    username,
    password,
    token,
    plain: { u: username, p: password },
    hidden: { u: username, p: `enc:${Buffer.from(password).toString('hex')}` },
    key: { apiKey: password },
    fetch: send,
    request: async (call, sent) => parsePlayerAnswer(await send(call, { ...about, ...token, f: 'json', ...sent })),
    requestXml: async (call, sent) => {
      const { root } = parseXml(await (await send(call, { ...about, ...token, ...sent })).text());
      return root ?? undefined;
    },
  };
}
