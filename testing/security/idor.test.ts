import type { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import type { Call } from '#platform/contract/call.ts';
import { createClient } from '#platform/contract/client.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import {
  addpasskey,
  apppasswords,
  checkaccounts,
  endsessions,
  makeapppassword,
  removepasskey,
  renamepasskey,
  secondfactor,
  securityevents,
  startpasskey,
} from '#tools/accounts/contract.ts';
import { changecomputername, devicedetails, renamedevice, revokedevice } from '#tools/devices/contract.ts';
import { fileupload } from '#tools/remote/contract.ts';
import { deletetimetrackergoal, settimetrackergoal } from '#tools/screentime/contract.ts';
import { NEW_LIST, copyshoplist, modifyshoplist, shoplistmembers } from '#tools/shopping/contract.ts';
import { savelongtermtbbl, savespecific } from '#tools/timetable/contract.ts';
import { serverTools } from '../../apps/server/tools.ts';
import { createAuthenticator } from '../kits/server/authenticator.ts';
import { listCalls, createSample, type JsonSchema, getRequestSchema } from '../kits/server/contracts.ts';
import { startServer, TEST_PASSWORD, type TestAccount } from '../kits/server/server.ts';
import { pairComputer } from './pairComputer.ts';

const THEIR_SCRIPT = 'theirs.sh';
const UNKNOWN_SCRIPT = 'nobodys.sh';
const UNKNOWN = 987_654;
/** Long enough to be the name of a client. */
const SAMPLE_TEXT = 'somebody';
/** The second account. */
const ATTACKER = 2;

/** Fields that identify something of an account, and the wire format of their ids. */
const ID_FIELDS: Readonly<Record<string, (id: number) => unknown>> = {
  id: (id) => id,
  ids: (id) => [id],
  made: (id) => [id],
  gone: (id) => [id],
  target: String,
  goalid: String,
  deviceid: String,
  device: (id) => id,
  name: (id) => (id === UNKNOWN ? UNKNOWN_SCRIPT : THEIR_SCRIPT),
};
/** Calls whose `name` is a new name, so that any name is allowed. */
const NAMING_CALLS: readonly string[] = [
  fileupload.path,
  renamedevice.path,
  changecomputername.path,
  makeapppassword.path,
  addpasskey.path,
  renamepasskey.path,
  savelongtermtbbl.path,
  copyshoplist.path,
];

const GOAL = {
  goalid: '0',
  target: 'total',
  type: 'app',
  goalseconds: '3600',
  deviceid: '-1',
  daysaffected: '7',
  daysaffectedtype: '1',
  goaltype: '0',
};
/** Valid values of other fields, which a call would otherwise refuse before it looks up the id. */
const OTHER_FIELDS: Readonly<Record<string, unknown>> = {
  ...GOAL,
  tz: '',
  tzoffset: '',
  begindate: '',
  limit: '',
  from: '2026-11-20',
  until: '2026-11-21',
};
function createRequest(schema: JsonSchema): unknown {
  const fields = Object.keys(schema.properties ?? {});
  // Without the right password, a call would refuse every id.
  const request = {
    ...(createSample(schema, SAMPLE_TEXT) as object),
    ...(fields.includes('password') ? { password: TEST_PASSWORD } : {}),
  };
  return Object.hasOwn(schema.properties ?? {}, 'tz')
    ? {
        ...request,
        ...Object.fromEntries(Object.entries(OTHER_FIELDS).filter(([name]) => fields.includes(name))),
      }
    : request;
}

type Path = readonly string[];

/** Returns the paths of identifying fields in a request. */
const listIdPaths = (schema: JsonSchema, path: Path = []): readonly Path[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    Object.hasOwn(ID_FIELDS, name) ? [[...path, name]] : listIdPaths(inner, [...path, name]),
  );

function withValue(request: unknown, [name = '', ...rest]: Path, value: unknown): unknown {
  const fields = request as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: rest.length === 0 ? value : withValue(fields[name], rest, value) };
}

async function send(origin: string, contract: Call, token: string, request: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  if (contract.method === 'POST')
    return (await fetch(origin + contract.path, { method: 'POST', headers, body: JSON.stringify(request) })).text();
  const query = new URLSearchParams(Object.entries(request as object).map(([name, value]) => [name, String(value)]));
  return (await fetch(`${origin}${contract.path}?${query.toString()}`, { headers })).text();
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns all rows that don't belong to the attacker, by table.
 * Rows of a shopping list or a goal belong to its creator.
 */
async function listForeignRows(db: Kysely<unknown>, attacker: number): Promise<unknown> {
  const listRows = async (name: string): Promise<readonly Row[]> =>
    db
      .selectFrom(name as never)
      .selectAll()
      .execute();
  const listCreatedIds = async (name: string): Promise<readonly unknown[]> =>
    (await listRows(name)).filter((row) => row['account'] === attacker).map((row) => row['id']);
  const lists = await listCreatedIds('shopping_list');
  const goals = await listCreatedIds('screentime_goal');
  function isOwnedByAttacker(name: string, row: Row): boolean {
    if (name === 'account') return row['id'] === attacker;
    if (row['account'] === attacker) return true;
    if (name.startsWith('screentime_goal_')) return goals.includes(row['goal']);
    return name.startsWith('shopping_') && lists.includes(row['list']);
  }
  const tables = await db.introspection.getTables();
  const read = tables.map(async ({ name }) => {
    const rows = (await listRows(name)).filter((row) => !isOwnedByAttacker(name, row));
    // When a session was last used is stored seconds later, so its owner's own use may come in between.
    return [name, rows.map((row) => (name === 'session' ? { ...row, last_seen: 0, expires: 0 } : row))] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Starts a server with two accounts that own something of everything; the victim's is created first. */
async function prepareAccounts() {
  let db: Kysely<unknown> | undefined;
  const spy: ServerTool = {
    name: 'spy',
    migrations: [],
    start: ({ database }) => {
      db = database.db;
      return { calls: [] };
    },
  };
  const server = await startServer({ rateLimits: false, tools: [...serverTools, spy] });
  async function furnish(account: TestAccount, devices: readonly string[], script: string) {
    await account.call(fileupload, { content: { text: 'echo', name: script } });
    await account.call(makeapppassword, { name: 'Phone' });
    // Passkeys need a name instead of an IP address.
    const origin = server.origin.replace('127.0.0.1', 'localhost');
    const callByName = createClient({ origin, token: () => account.token });
    // The same number for each device: the victim has more devices, and so ids that the attacker does not have.
    const createdIds: number[] = [];
    for (const device of devices) {
      const { ticket, options } = await callByName(startpasskey, { password: TEST_PASSWORD });
      const passkey = createAuthenticator(origin).register(options);
      await callByName(addpasskey, { ticket, name: device, passkey });
      const data = { a: { name: device } };
      const { overwrite } = await account.call(savespecific, { date: '2026-11-23', data });
      const { id } = await account.call(savelongtermtbbl, { name: device, data: [] });
      const made = await account.call(modifyshoplist, { id: NEW_LIST, changes: { name: device }, timesent: 1 });
      const { newgoal } = await account.call(settimetrackergoal, GOAL);
      createdIds.push(...Object.values(overwrite), id, made.id ?? 0, newgoal.goalid);
    }
    const tokens: string[] = [];
    for (const name of devices) tokens.push(await pairComputer(server.origin, account, name));
    return { tokens, createdIds };
  }
  const victim = await server.createAccount('victim');
  const { createdIds } = await furnish(victim, ['one', 'two', 'three'], THEIR_SCRIPT);
  const { devices } = await victim.call(devicedetails, {});
  const [gone, ...remaining] = devices.map(({ id }) => id).toReversed();
  await victim.call(revokedevice, { id: gone ?? 0 });
  const { sessions } = await victim.call(checkaccounts, {});
  const { passwords } = await victim.call(apppasswords, {});
  const { passkeys } = await victim.call(secondfactor, {});

  const attacker = await server.createAccount('attacker');
  const { tokens, createdIds: ownCreatedIds } = await furnish(attacker, ['mine'], 'mine.sh');
  const [device = ''] = tokens;
  const ownIds = [
    ...(await attacker.call(devicedetails, {})).devices,
    ...(await attacker.call(checkaccounts, {})).sessions,
    ...(await attacker.call(apppasswords, {})).passwords,
    ...(await attacker.call(secondfactor, {})).passkeys,
  ]
    .map(({ id }) => id)
    .concat(ownCreatedIds);
  const foreignIds = [
    ...remaining,
    gone ?? 0,
    ...createdIds,
    ...[...sessions, ...passwords, ...passkeys].map(({ id }) => id),
  ].filter((id) => !ownIds.includes(id));
  for (const _ of ['first', 'second']) await victim.call(securityevents, {}); // Each instance saves its events up to now.
  if (!db) throw new Error('no database was handed to the tools');
  return { server, db, ownIds, foreignIds: [...new Set(foreignIds)], tokens: { account: attacker.token, device } };
}

interface Field {
  readonly contract: Call;
  readonly path: Path;
  /** Calls with a raw value in this field. */
  readonly ask: (value: unknown) => Promise<string>;
  /** Calls with the id in wire format; script names in the answer are unified. */
  readonly answer: (id: number) => Promise<string>;
}

/** Returns every identifying field of every call. */
async function listFields(origin: string, tokens: Readonly<Record<'account' | 'device', string>>) {
  const calls = await listCalls();
  return calls.flatMap((contract): readonly Field[] => {
    const { access } = contract;
    if (access === 'anyone') return [];
    const schema = getRequestSchema(contract);
    const paths = listIdPaths(schema).filter((path) => {
      if (path.at(-1) === 'name') return !NAMING_CALLS.includes(contract.path);
      // The target of a goal is the name of an application.
      return path.at(-1) !== 'target' || contract.path !== settimetrackergoal.path;
    });
    return paths.map((path) => {
      const write = ID_FIELDS[path.at(-1) ?? ''] ?? String;
      const ask = (value: unknown) =>
        send(origin, contract, tokens[access], withValue(createRequest(schema), path, value));
      const answer = async (id: number) => (await ask(write(id))).replace(UNKNOWN_SCRIPT, THEIR_SCRIPT);
      return { contract, path, ask, answer };
    });
  });
}

/** The test sends thousands of requests: every call with every id. */
const EVERY_CALL = 180_000;

test(
  'foreign ids get the same answers as unknown ones, in every field of every call, and nothing foreign changes',
  async () => {
    const { server, db, foreignIds, ownIds, tokens } = await prepareAccounts();
    await using _ = server;
    const before = await listForeignRows(db, ATTACKER);
    const fields = await listFields(server.origin, tokens);
    expect(foreignIds.length).toBeGreaterThan(1);
    expect(fields.length).toBeGreaterThan(5);
    const different: string[] = [];
    for (const { contract, path, ask, answer } of fields) {
      const unknown = await answer(UNKNOWN);
      for (const id of foreignIds) {
        const foreignAnswer = await answer(id);
        if (foreignAnswer !== unknown)
          different.push(`${contract.path} ${path.join('.')} ${id}: ${foreignAnswer}, unknown: ${unknown}`);
      }
      for (const value of [0, -1, 2 ** 53, 'text', '', null]) await ask(value);
    }
    expect(different).toEqual([]);
    expect(await listForeignRows(db, ATTACKER)).toEqual(before);
    expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);

    // The same calls with own ids get other answers, so the calls were the right ones.
    const distinguishedPaths = new Set<string>();
    const others = fields.filter(({ contract }) => contract.path !== endsessions.path); // ends the session
    for (const { contract, answer } of others)
      for (const id of ownIds)
        if ((await answer(id)) !== (await answer(UNKNOWN))) distinguishedPaths.add(contract.path);
    expect([...distinguishedPaths]).toEqual(
      expect.arrayContaining(
        [
          renamedevice,
          revokedevice,
          renamepasskey,
          removepasskey,
          modifyshoplist,
          shoplistmembers,
          deletetimetrackergoal,
          settimetrackergoal,
        ].map(({ path }) => path),
      ),
    );
    expect(await listForeignRows(db, ATTACKER)).toEqual(before);
  },
  EVERY_CALL,
);
