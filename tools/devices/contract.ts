import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { abilities } from '#platform/contract/device.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

/** `status` contains triples of id as text, name and state (Connected, Disconnected, Reconnecting). */
export const checkdevices = call({
  route: 'POST /api/checkdevices',
  summary: 'Returns the devices of the account and their connection states.',
  access: 'account',
  request: z.object({ content: z.optional(z.unknown()) }),
  answer: z.object({
    status: z.array(z.tuple([z.string(), z.string(), z.string()])),
    kinds: z.record(z.string(), z.enum(['computer', 'browser'])),
  }),
});

const deviceDetails = z.object({
  id,
  name: z.string(),
  kind: z.enum(['computer', 'browser']),
  state: z.string(),
  system: z.string(),
  version: z.string(),
  abilities,
  paired: z.string(),
  lastSeen: z.optional(z.string()),
});
export type DeviceDetails = z.output<typeof deviceDetails>;

export const devicedetails = call({
  route: 'GET /api/devicedetails',
  summary: 'Returns details of the devices of the account.',
  access: 'account',
  answer: z.object({ devices: z.array(deviceDetails) }),
});

export const renamedevice = call({
  route: 'POST /api/renamedevice',
  summary: 'Renames a device.',
  access: 'account',
  request: z.object({ id: requestedId, name: z.string() }),
});

// Calls for names only, which the screen time pages use (docs/specification/devices.md section 2.1).

/** Names of the computers by id, without browsers. */
const computernames = z.object({ computernames: z.record(z.string(), z.string()) });

export const getcomputernames = call({
  route: 'GET /api/getcomputernames',
  summary: 'Returns the names of the computers.',
  access: 'account',
  answer: computernames,
});

export const changecomputername = call({
  route: 'POST /api/getcomputernames',
  summary: 'Renames a computer and returns all names.',
  access: 'account',
  request: z.object({
    type: z.literal('changename'),
    /** The id is a text if the client read it as a key of `computernames`. */
    data: z.object({ id: z.union([requestedId, z.string().check(z.maxLength(20))]), name: z.string() }),
  }),
  answer: computernames,
});

export const revokedevice = call({
  route: 'POST /api/revokedevice',
  usesReserve: true,
  summary: 'Revokes the token of a device and removes the device.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

// Pairing: the agent requests a code, the logged-in user enters it, and the agent takes its token.

export const requestpairing = call({
  route: 'POST /api/requestpairing',
  summary: 'Creates a pairing code for a computer. It is valid for 10 minutes.',
  access: 'anyone',
  request: z.object({ name: z.string().check(z.maxLength(100)), system: z.string().check(z.maxLength(100)) }),
  answer: z.object({ code: z.string(), secret: z.string(), expires: z.string() }),
  rates: [{ times: 20, seconds: HOUR_SECONDS }],
});

export const pairdevice = call({
  route: 'POST /api/pairdevice',
  summary: 'Pairs the computer that shows this code with the account.',
  access: 'account',
  request: z.object({ code: z.string().check(z.maxLength(40)) }),
  answer: z.object({ id, name: z.string() }),
});

/**
 * `token` is returned once, after the code was entered. The key of `account` is unique among all accounts of all
 * servers.
 */
export const takepairing = call({
  route: 'POST /api/takepairing',
  summary: 'Returns whether the pairing code of this computer was entered.',
  access: 'anyone',
  request: z.object({ secret: z.string().check(z.maxLength(100)) }),
  answer: z.object({
    token: z.optional(z.string()),
    name: z.optional(z.string()),
    account: z.optional(z.object({ key: z.string(), name: z.string() })),
  }),
});
