import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { id, target } from '#platform/contract/fields.ts';

/** Largest length of a message, in Unicode code points (specification 1, section 9). */
export const MESSAGE_LIMIT = 200;
/** What the empty text field shows; it counts as no text. */
export const TEXT_PLACEHOLDER = 'Enter text here';
export const KEYS_MARKER = '[[keys]]';
export const FILE_MARKER = '[[file]]';
/** 1 plain text, 2 shortcut, 3 file. */
export const inputType = z.literal([1, 2, 3]);

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
  /** Seconds since the epoch. */
  timesent: z.number(),
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
  keep: 'all',
  data: z.object({ target, entry: historyEntry }),
});

// Device commands -----------------------------------------------------------------------------------

/** `dropped` names the characters that could not be typed. */
export const typeText = command({
  name: 'type',
  request: z.object({ text: z.string() }),
  answer: z.object({ dropped: z.array(z.string()) }),
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

// Mouse ---------------------------------------------------------------------------------------------

const degrees = z.number().check(z.minimum(-360), z.maximum(360));
const motionFields = {
  /** Degrees with one decimal. */
  orientation: z.object({ alpha: degrees, beta: degrees, gamma: degrees }),
  reset: z.object({ lmb: z.boolean(), lift: z.boolean(), scroll: z.boolean() }),
  /** m/s² times 10 in whole numbers, where the phone gives it. */
  acceleration: z.optional(z.object({ x: z.number(), y: z.number(), z: z.number() })),
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

/** The same, handed on to the device. */
export const motionToDevice = serverEvent({ name: 'motion', keep: 'newest', data: z.object(motionFields) });
