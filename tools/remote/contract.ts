import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, id, target } from '#platform/contract/fields.ts';
import { inputType } from '#platform/contract/message.ts';
import { retentionPeriod } from '#platform/contract/retention.ts';

/** Types text, presses a shortcut or runs a script on a device; 'ok' once the device says that it is done. */
export const keyboardinput = call({
  method: 'POST',
  path: '/api/keyboardinput',
  summary: 'Types text, presses a shortcut or starts a script on a device.',
  access: 'account',
  request: z.object({
    content: z.object({
      inputtype: inputType,
      inputValue: z.string(),
      target,
      /** Seconds since the epoch, fractions allowed: the same message with the same time is typed once. */
      timesent: z.number(),
      /** Ours: false stores neither the text nor anything that follows from it, anywhere; the history shows that something was sent. */
      keep: z.optional(z.boolean()),
      /** Ours, with `keep: false`: tells two messages of the same time apart, as their texts do otherwise. Random; without one each request is a message of its own. */
      key: z.optional(z.string().check(z.maxLength(100))),
    }),
  }),
  answer: z.object({}),
});

export const fileupload = call({
  method: 'POST',
  path: '/api/fileupload',
  summary: 'Keeps a script file; one of the same name is replaced.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({ content: z.object({ text: z.string(), name: z.string() }) }),
  answer: z.object({}),
});

export const returnfilenames = call({
  method: 'POST',
  path: '/api/returnfilenames',
  summary: 'The names of the kept script files.',
  access: 'account',
  request: z.object({ content: z.optional(z.unknown()) }),
  answer: z.object({ names: z.array(z.string()) }),
});

const scriptSummary = z.object({ name: z.string(), bytes: z.int(), changed: z.string() });

export const scripts = call({
  method: 'GET',
  path: '/api/scripts',
  summary: 'The kept script files with size and time of change.',
  access: 'account',
  request: z.object({}),
  answer: z.object({ scripts: z.array(scriptSummary) }),
});

export const scripttext = call({
  method: 'GET',
  path: '/api/scripttext',
  summary: 'The text of one script file.',
  access: 'account',
  request: z.object({ name: z.string() }),
  answer: z.object({ text: z.string() }),
});

export const deletescript = call({
  method: 'POST',
  path: '/api/deletescript',
  summary: 'Deletes a script file.',
  access: 'account',
  request: z.object({ name: z.string() }),
  answer: z.object({}),
});

export const historyEntry = z.object({
  id,
  inputtype: inputType,
  inputValue: z.string(),
  /** Seconds since the epoch, by the sender's clock. */
  timesent: z.number(),
  /** Seconds since the epoch, by the server's clock: the order of the history. */
  received: z.optional(z.number()),
  /** False where the sender wanted the text not to be stored: `inputValue` is then empty. */
  kept: z.optional(z.boolean()),
  /** 'ok', or the sentence that said why not; '' while it is under way. */
  outcome: z.string(),
});

export const remotehistory = call({
  method: 'GET',
  path: '/api/remotehistory',
  summary: 'The last 100 messages sent to a device, oldest first.',
  access: 'account',
  request: z.object({ target }),
  answer: z.object({ history: z.array(historyEntry) }),
});

/** To all pages of the account: a message was sent to a device, or its outcome is known. */
export const historyChanged = serverEvent({
  name: 'remotehistory',
  delivery: 'all',
  data: z.object({ target, entry: historyEntry }),
});

export const deletehistoryentry = call({
  method: 'POST',
  path: '/api/deletehistoryentry',
  summary: 'Deletes one message from the history of a device.',
  access: 'account',
  request: z.object({ target, id: requestedId }),
  answer: z.object({}),
});

export const clearhistory = call({
  method: 'POST',
  path: '/api/clearhistory',
  summary: 'Deletes everything that was sent to a device, and everything that it wrote itself.',
  access: 'account',
  request: z.object({ target }),
  answer: z.object({}),
});

export const historyretention = call({
  method: 'GET',
  path: '/api/historyretention',
  summary: 'How long what was sent to devices is stored.',
  access: 'account',
  request: z.object({}),
  answer: z.object({ period: retentionPeriod }),
});

export const sethistoryretention = call({
  method: 'POST',
  path: '/api/sethistoryretention',
  summary: 'Sets how long what was sent to devices is stored; what is older is deleted.',
  access: 'account',
  request: z.object({ period: retentionPeriod }),
  answer: z.object({}),
});

/** To all pages of the account: these entries are deleted, or all of the device where no ids are named. */
export const historyDeleted = serverEvent({
  name: 'remotehistorydeleted',
  delivery: 'all',
  data: z.object({ target, ids: z.optional(z.array(id)) }),
});

/** Ours: the hint that what is typed next may be better left out of the history. */
export const passwordfocus = call({
  method: 'GET',
  path: '/api/passwordfocus',
  summary: 'Whether a password field has the keyboard focus on a device, as far as its desktop reports it.',
  access: 'account',
  request: z.object({ target }),
  answer: z.object({ isFocused: z.boolean() }),
});

/** To all pages of the account: a password field of a device got or lost the keyboard focus. */
export const passwordFocusChanged = serverEvent({
  name: 'remotepasswordfocus',
  delivery: 'all',
  data: z.object({ target, isFocused: z.boolean() }),
});

// Device commands -----------------------------------------------------------------------------------

/** `dropped` names the characters that could not be typed; for a secret text `droppedCount` counts them, as the agent stores its answers. */
export const typeText = command({
  name: 'type',
  request: z.object({ text: z.string(), isSecret: z.optional(z.boolean()) }),
  answer: z.object({ dropped: z.array(z.string()), droppedCount: z.optional(z.int()) }),
});

/** Keys in the order of pressing, with the names of `domain/keys.ts`. */
export const pressKeys = command({
  name: 'press',
  request: z.object({ keys: z.array(z.string()) }),
  answer: z.object({}),
});

/** Starts a script and answers once it runs; its end comes back as a message from the device. */
export const runScript = command({
  name: 'script',
  request: z.object({ name: z.string(), text: z.string() }),
  answer: z.object({}),
});

/** A device reports whether a password field has its keyboard focus; never which, nor what is in it. */
export const passwordFocusReport = clientEvent({
  name: 'remote/passwordfocus',
  access: 'device',
  data: z.object({ isFocused: z.boolean() }),
  answer: z.object({}),
});

// Mouse ---------------------------------------------------------------------------------------------

/** Parts of a degree are told to one decimal; what is beyond a whole turn is no angle. JSON has no NaN and no infinity. */
const degrees = z.number().check(z.minimum(-360), z.maximum(360));
/** What a person sets the pointer's speed to; 1 is as it comes. */
export const SENSITIVITY = { least: 0.25, most: 4 } as const;
const tenths = z.int().check(z.minimum(-100_000), z.maximum(100_000));
const motionFields = {
  /** Degrees with one decimal. */
  orientation: z.object({ alpha: degrees, beta: degrees, gamma: degrees }),
  reset: z.object({ lmb: z.boolean(), lift: z.boolean(), scroll: z.boolean() }),
  /** m/s² times 10 in whole numbers, where the phone gives it. */
  acceleration: z.optional(z.object({ x: tenths, y: tenths, z: tenths })),
  /** Ours: how fast the pointer goes. */
  sensitivity: z.optional(z.number().check(z.minimum(SENSITIVITY.least), z.maximum(SENSITIVITY.most))),
  /** Ours: how often the person has set a new zero, counted so that a lost event loses none. */
  recentered: z.optional(z.int().check(z.minimum(0))),
};

/** Announces that motion follows. */
export const motionInit = clientEvent({
  name: '/api/motioninit',
  access: 'account',
  data: z.object({ target: z.optional(target) }),
  answer: z.object({ target: z.optional(z.string()) }),
});

/** About every 30 ms. */
export const motion = clientEvent({
  name: '/api/motion',
  access: 'account',
  data: z.object({ ...motionFields, target: z.optional(target) }),
  answer: z.object({}),
});

const sum = z.number().check(z.minimum(-1e9), z.maximum(1e9));
const turns = z.int().check(z.minimum(0));
const pointerFields = {
  /** Random, new for every touchpad that is opened: all sums begin at 0 with it. */
  stream: z.int().check(z.minimum(0)),
  // Running sums, so that an event that a newer one has replaced loses nothing.
  /** Pixels, right and down positive. */
  x: sum,
  y: sum,
  /** Steps of the wheel, fractions allowed, right and down positive. */
  wheelX: sum,
  wheelY: sum,
  /** How often each button was pressed or let go: with an odd number it is down. */
  turns: z.object({ left: turns, middle: turns, right: turns }),
  /** Held with the buttons: Ctrl and a click. */
  modifiers: z.optional(z.array(z.enum(['Ctrl', 'Gui', 'Alt', 'Shift'])).check(z.maxLength(4))),
};

/**
 * A touchpad, ours: on every change, and every 100 ms while something is held. The first one after half a second of silence only
 * says where the sums stand, so a touch is told of as it begins.
 */
export const pointer = clientEvent({
  name: '/api/pointer',
  access: 'account',
  data: z.object({
    ...pointerFields,
    /** Milliseconds by the sender's own clock: one that was long on its way is not done any more. */
    at: z.optional(z.number()),
    target: z.optional(target),
  }),
  answer: z.object({}),
});

/** Presses keys together, ours: what the touchpad's keys do. Not kept in the history; 'ok' once the device has done it. */
export const presskeys = clientEvent({
  name: '/api/presskeys',
  access: 'account',
  data: z.object({ keys: z.array(z.string()).check(z.minLength(1), z.maxLength(8)), target: z.optional(target) }),
  answer: z.object({}),
});

/** Whose hand it is, so that two phones at one computer do not pull at each other: a number of the sender's socket. */
const controller = z.int();

/** The same, handed on to the device. */
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

/** To the device: the sender is gone, what it held is let go. */
export const controllerGone = serverEvent({ name: 'controllergone', delivery: 'all', data: z.object({ controller }) });
