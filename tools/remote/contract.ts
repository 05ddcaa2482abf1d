import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, id, target } from '#platform/contract/fields.ts';
import { inputType } from '#platform/contract/message.ts';
import { retentionPeriod } from '#platform/contract/retention.ts';

/** Answers 'ok' once the device has done it. */
export const keyboardinput = call({
  route: 'POST /api/keyboardinput',
  summary: 'Types text, presses a shortcut or starts a script on a device.',
  access: 'account',
  request: z.object({
    content: z.object({
      inputtype: inputType,
      inputValue: z.string(),
      target,
      /** Seconds since the epoch, fractions allowed. The same message with the same time is typed only once. */
      timesent: z.number(),
      /**
       * Added by Pegboard: false means that neither the text nor anything derived from it is stored; the history shows
       * a placeholder.
       */
      keep: z.optional(z.boolean()),
      /**
       * Added by Pegboard, with `keep: false`: a random key that identifies the message, since its text must not be
       * stored. Without it, each request is a new message.
       */
      key: z.optional(z.string().check(z.maxLength(100))),
    }),
  }),
});

export const fileupload = call({
  route: 'POST /api/fileupload',
  summary: 'Stores a script file, and replaces one with the same name.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({ content: z.object({ text: z.string(), name: z.string() }) }),
});

export const returnfilenames = call({
  route: 'POST /api/returnfilenames',
  summary: 'Returns the names of the stored script files.',
  access: 'account',
  request: z.object({ content: z.optional(z.unknown()) }),
  answer: z.object({ names: z.array(z.string()) }),
});

const scriptSummary = z.object({ name: z.string(), bytes: z.int(), changed: z.string() });

export const scripts = call({
  route: 'GET /api/scripts',
  summary: 'Returns the stored script files with size and time of change.',
  access: 'account',
  answer: z.object({ scripts: z.array(scriptSummary) }),
});

export const scripttext = call({
  route: 'GET /api/scripttext',
  summary: 'Returns the text of one script file.',
  access: 'account',
  request: z.object({ name: z.string() }),
  answer: z.object({ text: z.string() }),
});

export const deletescript = call({
  route: 'POST /api/deletescript',
  usesReserve: true,
  summary: 'Deletes a script file.',
  access: 'account',
  request: z.object({ name: z.string() }),
});

export const historyEntry = z.object({
  id,
  inputtype: inputType,
  inputValue: z.string(),
  /** Seconds since the epoch, by the sender's clock. */
  timesent: z.number(),
  /** Seconds since the epoch, by the server's clock; the history is sorted by it. */
  received: z.optional(z.number()),
  /** False if the sender did not want the text to be stored; `inputValue` is empty then. */
  kept: z.optional(z.boolean()),
  /** 'ok', or a sentence with the reason for a failure; '' while the message is pending. */
  outcome: z.string(),
});

export const remotehistory = call({
  route: 'GET /api/remotehistory',
  summary: 'Returns the last 100 messages sent to a device, oldest first.',
  access: 'account',
  request: z.object({ target }),
  answer: z.object({ history: z.array(historyEntry) }),
});

/** Sent to all pages of the account when a message was sent to a device, or its outcome is known. */
export const historyChanged = serverEvent({
  name: 'remotehistory',
  delivery: 'all',
  data: z.object({ target, entry: historyEntry }),
});

export const deletehistoryentry = call({
  route: 'POST /api/deletehistoryentry',
  usesReserve: true,
  summary: 'Deletes one message from the history of a device.',
  access: 'account',
  request: z.object({ target, id: requestedId }),
});

export const clearhistory = call({
  route: 'POST /api/clearhistory',
  usesReserve: true,
  summary: 'Deletes everything that was sent to a device, and everything that it sent.',
  access: 'account',
  request: z.object({ target }),
});

export const historyretention = call({
  route: 'GET /api/historyretention',
  summary: 'Returns how long the history of sent messages is stored.',
  access: 'account',
  answer: z.object({ period: retentionPeriod }),
});

export const sethistoryretention = call({
  route: 'POST /api/sethistoryretention',
  usesReserve: true,
  summary: 'Sets how long the history of sent messages is stored. Older messages are deleted.',
  access: 'account',
  request: z.object({ period: retentionPeriod }),
});

/** Sent to all pages of the account: these entries were deleted, or without `ids` all of the device. */
export const historyDeleted = serverEvent({
  name: 'remotehistorydeleted',
  delivery: 'all',
  data: z.object({ target, ids: z.optional(z.array(id)) }),
});

/** Added by Pegboard: lets the page suggest not to store what is typed next. */
export const passwordfocus = call({
  route: 'GET /api/passwordfocus',
  summary: 'Returns whether a password field has the focus on a device, if its desktop reports it.',
  access: 'account',
  request: z.object({ target }),
  answer: z.object({ isFocused: z.boolean() }),
});

/** Sent to all pages of the account when a password field of a device got or lost the keyboard focus. */
export const passwordFocusChanged = serverEvent({
  name: 'remotepasswordfocus',
  delivery: 'all',
  data: z.object({ target, isFocused: z.boolean() }),
});

// Device commands -----------------------------------------------------------------------------------

/**
 * Types a text. `dropped` lists the characters that could not be typed. For a secret text only `droppedCount` is set,
 * because the agent stores its answers.
 */
export const typeText = command({
  name: 'type',
  request: z.object({ text: z.string(), isSecret: z.optional(z.boolean()) }),
  answer: z.object({ dropped: z.array(z.string()), droppedCount: z.optional(z.int()) }),
});

/** Presses keys in this order, with the names of `domain/keys.ts`. */
export const pressKeys = command({ name: 'press', request: z.object({ keys: z.array(z.string()) }) });

/** Starts a script and answers once it runs. The device reports the end of the script as a message. */
export const runScript = command({ name: 'script', request: z.object({ name: z.string(), text: z.string() }) });

/** A device reports whether a password field has the keyboard focus, but never which one or its content. */
export const passwordFocusReport = clientEvent({
  name: 'remote/passwordfocus',
  access: 'device',
  data: z.object({ isFocused: z.boolean() }),
});

// Mouse ---------------------------------------------------------------------------------------------

/** Angles have one decimal and at most one full turn. JSON can't represent NaN and infinity. */
const degrees = z.number().check(z.minimum(-360), z.maximum(360));
/** Range of the pointer speed that a user can set; 1 is unchanged. */
export const SENSITIVITY = { min: 0.25, max: 4 } as const;
const tenths = z.int().check(z.minimum(-100_000), z.maximum(100_000));
const motionFields = {
  /** Degrees with one decimal. */
  orientation: z.object({ alpha: degrees, beta: degrees, gamma: degrees }),
  reset: z.object({ lmb: z.boolean(), lift: z.boolean(), scroll: z.boolean() }),
  /** In m/s² times 10, as whole numbers, if the phone reports it. */
  acceleration: z.optional(z.object({ x: tenths, y: tenths, z: tenths })),
  /** Added by Pegboard: factor for the pointer speed. */
  sensitivity: z.optional(z.number().check(z.minimum(SENSITIVITY.min), z.maximum(SENSITIVITY.max))),
  /** Added by Pegboard: how often the user has recentred. A counter, so that a lost event loses no recentring. */
  recentered: z.optional(z.int().check(z.minimum(0))),
};

/** Announces that motion events follow. */
export const motionInit = clientEvent({
  name: '/api/motioninit',
  access: 'account',
  data: z.object({ target: z.optional(target) }),
  answer: z.object({ target: z.optional(z.string()) }),
});

/** Sent about every 30 ms. */
export const motion = clientEvent({
  name: '/api/motion',
  access: 'account',
  data: z.object({ ...motionFields, target: z.optional(target) }),
});

const runningSum = z.number().check(z.minimum(-1e9), z.maximum(1e9));
const turnCount = z.int().check(z.minimum(0));
const pointerFields = {
  /** Random for each opened touchpad; all sums start at 0 with it. */
  stream: z.int().check(z.minimum(0)),
  // Running sums, so that an event that was replaced by a newer one loses nothing.
  /** Pixels; right and down are positive. */
  x: runningSum,
  y: runningSum,
  /** Steps of the wheel, fractions allowed; right and down are positive. */
  wheelX: runningSum,
  wheelY: runningSum,
  /** How often each button was pressed or released; it is down if the number is odd. */
  turns: z.object({ left: turnCount, middle: turnCount, right: turnCount }),
  /** Modifiers held with the buttons, for example Ctrl and a click. */
  modifiers: z.optional(z.array(z.enum(['Ctrl', 'Gui', 'Alt', 'Shift'])).check(z.maxLength(4))),
};

/**
 * State of a touchpad, added by Pegboard. Sent on each change, and every 100 ms while something is held. The first
 * event after half a second of silence only sets the sums, so it is sent as soon as a touch begins.
 */
export const pointer = clientEvent({
  name: '/api/pointer',
  access: 'account',
  data: z.object({
    ...pointerFields,
    /** Milliseconds of the sender's own clock; events that were delayed too long are ignored. */
    at: z.optional(z.number()),
    target: z.optional(target),
  }),
});

/**
 * Presses keys together, added by Pegboard for the keys of the touchpad. Not stored in the history. Answers 'ok' once
 * done.
 */
export const presskeys = clientEvent({
  name: '/api/presskeys',
  access: 'account',
  data: z.object({ keys: z.array(z.string()).check(z.minLength(1), z.maxLength(8)), target: z.optional(target) }),
});

/** Number of the sender's socket, so that two phones can control one computer without interfering. */
const controller = z.int();

/** The same events, as the server relays them to the device. */
export const motionToDevice = serverEvent({
  name: 'motion',
  delivery: 'newest',
  data: z.object({ ...motionFields, controller }),
});
export const pointerToDevice = serverEvent({
  name: 'pointer',
  delivery: 'newest',
  data: z.object({ ...pointerFields, controller }),
});

/** Sent to the device when the sender has disconnected, so that the device releases its input. */
export const controllerGone = serverEvent({ name: 'controllergone', delivery: 'all', data: z.object({ controller }) });
