import { hash } from 'node:crypto';
import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import { makeapppassword } from '#tools/accounts/contract.ts';
import type { TestAccount, TestServer } from '../server/server.ts';

type RequestParameters = Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;

/** Content of `subsonic-response`. */
export type PlayerAnswer = Readonly<Record<string, unknown>> & {
  readonly status: 'ok' | 'failed';
  readonly error?: { readonly code: number; readonly message: string };
};

/** A music player that sends exactly what the test says. */
export interface TestPlayer {
  readonly username: string;
  readonly password: string;
  /** Ways in which players send a password. */
  readonly token: RequestParameters;
  readonly plain: RequestParameters;
  readonly hidden: RequestParameters;
  readonly key: RequestParameters;
  /** Sends exactly these parameters and returns the response. */
  readonly fetch: (call: string, sent?: RequestParameters, how?: RequestInit) => Promise<Response>;
  /** Requests JSON, logged in with a token. */
  readonly request: (call: string, sent?: RequestParameters) => Promise<PlayerAnswer>;
  /** Requests XML, logged in with a token; returns the root element. */
  readonly requestXml: (call: string, sent?: RequestParameters) => Promise<XmlElement | undefined>;
}

function toForm(sent: RequestParameters): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(sent)) for (const item of [value].flat()) form.append(name, String(item));
  return form;
}

export async function parsePlayerAnswer(response: Response): Promise<PlayerAnswer> {
  return ((await response.json()) as { readonly 'subsonic-response': PlayerAnswer })['subsonic-response'];
}

/** Creates a player with a new app password of an account. */
export async function createPlayer({ origin }: Pick<TestServer, 'origin'>, account: TestAccount): Promise<TestPlayer> {
  const { password } = await account.call(makeapppassword, { name: 'Player', kind: 'music' });
  const username = account.name;
  const salt = 'c19b2d';
  const token = { u: username, t: hash('md5', password + salt, 'hex'), s: salt };
  const clientParameters = { v: '1.16.1', c: 'test' };
  async function send(call: string, sent: RequestParameters = {}, how?: RequestInit): Promise<Response> {
    const form = toForm(sent);
    if (how?.method === 'POST') return fetch(`${origin}/rest/${call}`, { ...how, body: form });
    return fetch(`${origin}/rest/${call}?${form.toString()}`, how);
  }
  return {
    username,
    password,
    token,
    plain: { u: username, p: password },
    hidden: { u: username, p: `enc:${Buffer.from(password).toString('hex')}` },
    key: { apiKey: password },
    fetch: send,
    request: async (call, sent) =>
      parsePlayerAnswer(await send(call, { ...clientParameters, ...token, f: 'json', ...sent })),
    requestXml: async (call, sent) => {
      const { root } = parseXml(await (await send(call, { ...clientParameters, ...token, ...sent })).text());
      return root ?? undefined;
    },
  };
}
