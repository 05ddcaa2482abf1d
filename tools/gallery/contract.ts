import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, target } from '#platform/contract/fields.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';

/** As requests name a recording: whatever no database keeps is no recording's. */
const askedName = z.pipe(z.string().check(z.maxLength(40)), z.transform(replaceUnstorable));

/** 128 random bits in base64url: the name of `<name>.png` and `<name>.webm`. */
const baseName = z.string().check(z.regex(/^[\w-]{22}$/));

/** Newest first. Whoever is not signed in, or not the owner, gets what the owner has made public. */
export const cwlt = call({
  method: 'GET',
  path: '/api/cwlt',
  summary: 'Sessions of recordings.',
  access: 'anyone',
  request: z.object({}),
  answer: z.object({
    files: z.array(
      z.object({
        /** Seconds since the epoch. */
        start: z.number(),
        end: z.number(),
        files: z.array(baseName),
        // Ours
        /** Every recording in it is. */
        public: z.boolean(),
        /** The asking account's own: it may be changed. */
        own: z.boolean(),
        videos: z.array(
          z.object({
            file: baseName,
            title: z.string(),
            start: z.number(),
            /** Seconds. */
            duration: z.number(),
            width: z.int(),
            height: z.int(),
            bytes: z.int(),
            public: z.boolean(),
            /** It had no end, and was saved as far as it goes. */
            cut: z.boolean(),
            /** What to add to an address of the owner's private ones: `?e=…&s=…`. */
            signature: z.string(),
          }),
        ),
      }),
    ),
    /** Ours, to whoever is signed in. */
    own: z.optional(
      z.object({
        /** Where to put recordings; empty for whoever does not own the server. */
        inbox: z.string(),
        /** New recordings are public. */
        newPublic: z.boolean(),
        /** On their way, in sentences; several may have one name. */
        waiting: z.array(z.object({ id: z.string(), name: z.string(), state: z.string() })),
        /** Those that could not be read, newest first. */
        broken: z.array(z.object({ id: z.int(), name: z.string(), reason: z.string() })),
        /** Computers whose screen is being recorded. */
        recording: z.array(z.object({ target: z.string(), since: z.number() })),
        /** Why nothing can be taken now, and the remedy; empty where all is well. */
        hindrance: z.string(),
      }),
    ),
  }),
});

// Ours: the owner's -----------------------------------------------------------------------------------

export const changevideo = call({
  method: 'POST',
  path: '/api/changevideo',
  summary: 'Renames a recording, or deletes it for good.',
  access: 'account',
  request: z.object({
    file: askedName,
    title: z.optional(z.string().check(z.maxLength(600))),
    remove: z.optional(z.boolean()),
  }),
  answer: z.object({}),
});

/** The recordings of a session, or what becomes of new ones. */
export const publishvideos = call({
  method: 'POST',
  path: '/api/publishvideos',
  summary: 'Makes recordings public, or private again.',
  access: 'account',
  request: z.object({
    files: z.union([z.array(askedName).check(z.maxLength(1000)), z.literal('new')]),
    public: z.boolean(),
  }),
  answer: z.object({}),
});

export const forgetbroken = call({
  method: 'POST',
  path: '/api/forgetbroken',
  summary: 'Deletes a recording that could not be read.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({}),
});

/** The largest recording that is taken. */
export const CAPTURE_LIMIT_BYTES = 4 * 1024 ** 3;
/** The largest part, before base64. */
export const CAPTURE_PART_BYTES = 4 * 1024 * 1024;

/** A computer sends a recording in parts, in order; the answer says where it goes on. */
export const sendcapture = call({
  method: 'POST',
  path: '/api/sendcapture',
  summary: 'A computer hands in a part of a recording.',
  access: 'device',
  bodyLimit: 8 * 1024 * 1024,
  request: z.object({
    name: z.string().check(z.regex(/^\w[\w.-]{0,100}\.mkv$/)),
    offset: z.int().check(z.minimum(0)),
    /** Of the whole recording, in bytes. */
    size: z.int().check(z.minimum(1), z.maximum(CAPTURE_LIMIT_BYTES)),
    /** Of the whole recording, SHA-256 in hex. */
    digest: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    /** base64; empty only asks how much is there. */
    data: z.string(),
  }),
  answer: z.object({ offset: z.int(), isWhole: z.boolean() }),
});

/** A page starts or ends a recording on a computer. */
export const recordscreen = call({
  method: 'POST',
  path: '/api/recordscreen',
  summary: 'Starts a recording of a computer’s screen, or ends it.',
  access: 'account',
  request: z.object({ target, to: z.enum(['start', 'stop']) }),
  answer: z.object({}),
});

export const record = command({
  name: 'gallery/record',
  request: z.object({ to: z.enum(['start', 'stop']), by: z.string() }),
  answer: z.object({}),
});

const YEAR_SECONDS = 366 * 86_400;
/** A computer says whether it records, on every connection and whenever that changes. */
export const captureState = clientEvent({
  name: 'gallery/recording',
  access: 'device',
  data: z.object({
    isRecording: z.boolean(),
    /** For so long already: its clock may be another one than the server's. An older agent does not say. */
    seconds: z.optional(z.int().check(z.minimum(0), z.maximum(YEAR_SECONDS))),
  }),
  answer: z.object({}),
});

/** To every page of the owner. */
export const galleryChanged = serverEvent({ name: 'gallerychanged', delivery: 'all', data: z.object({}) });
