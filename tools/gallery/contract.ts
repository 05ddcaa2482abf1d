import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, target } from '#platform/contract/fields.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';

/** A name of a recording in a request. Characters that no database stores are replaced, as no recording has them. */
const requestedName = z.pipe(z.string().check(z.maxLength(40)), z.transform(replaceUnstorable));

/** 128 random bits in base64url: the base name of `<name>.png` and `<name>.webm`. */
const baseName = z.string().check(z.regex(/^[\w-]{22}$/));

/** Lists sessions, newest first. Visitors and other accounts only get what the owner has made public. */
export const cwlt = call({
  route: 'GET /api/cwlt',
  summary: 'Returns the sessions of recordings.',
  access: 'anyone',
  answer: z.object({
    files: z.array(
      z.object({
        /** Seconds since the epoch. */
        start: z.number(),
        end: z.number(),
        files: z.array(baseName),
        // Added by Pegboard.
        /** Whether all recordings in it are public. */
        public: z.boolean(),
        /** Whether it belongs to the caller, who may change it. */
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
            /** The recording has no end, and was salvaged. */
            cut: z.boolean(),
            /** Query to append to the address of a private recording of the owner: `?e=…&s=…`. */
            signature: z.string(),
          }),
        ),
      }),
    ),
    /** Added by Pegboard, for logged-in users. */
    own: z.optional(
      z.object({
        /** Folder for new recordings; empty for users who do not own the server. */
        inbox: z.string(),
        /** Whether new recordings are public. */
        newPublic: z.boolean(),
        /** Recordings that are being processed, with a sentence about their state; names may repeat. */
        waiting: z.array(z.object({ id: z.string(), name: z.string(), state: z.string() })),
        /** Recordings that could not be read, newest first. */
        broken: z.array(z.object({ id: z.int(), name: z.string(), reason: z.string() })),
        /** Computers whose screen is being recorded. */
        recording: z.array(z.object({ target: z.string(), since: z.number() })),
        /** Why no recordings can be added now, and the remedy; empty if they can. */
        hindrance: z.string(),
      }),
    ),
  }),
});

// Added by Pegboard -----------------------------------------------------------------------------------

export const changevideo = call({
  route: 'POST /api/changevideo',
  usesReserve: true,
  summary: 'Renames or permanently deletes a recording.',
  access: 'account',
  request: z.object({
    file: requestedName,
    title: z.optional(z.string().check(z.maxLength(600))),
    remove: z.optional(z.boolean()),
  }),
});

/** Publishes the recordings of a session, or sets the default for new ones. */
export const publishvideos = call({
  route: 'POST /api/publishvideos',
  summary: 'Makes recordings public or private.',
  access: 'account',
  request: z.object({
    files: z.union([z.array(requestedName).check(z.maxLength(1000)), z.literal('new')]),
    public: z.boolean(),
  }),
});

export const forgetbroken = call({
  route: 'POST /api/forgetbroken',
  usesReserve: true,
  summary: 'Deletes a recording that could not be read.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

/** Maximum size of a recording. */
export const MAX_CAPTURE_BYTES = 4 * 1024 ** 3;
/** Maximum size of a part, before base64. */
export const CAPTURE_PART_BYTES = 4 * 1024 * 1024;

/** A computer uploads a recording in parts, in order. The answer says where to continue. */
export const sendcapture = call({
  route: 'POST /api/sendcapture',
  summary: 'Uploads a part of a recording.',
  access: 'device',
  bodyLimit: 8 * 1024 * 1024,
  request: z.object({
    name: z.string().check(z.regex(/^\w[\w.-]{0,100}\.mkv$/)),
    offset: z.int().check(z.minimum(0)),
    /** Size of the whole recording in bytes. */
    size: z.int().check(z.minimum(1), z.maximum(MAX_CAPTURE_BYTES)),
    /** SHA-256 of the whole recording, in hex. */
    digest: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    /** base64; if it is empty, the answer says how much has arrived. */
    data: z.string(),
  }),
  answer: z.object({ offset: z.int(), isWhole: z.boolean() }),
});

/** A page starts or stops a recording on a computer. */
export const recordscreen = call({
  route: 'POST /api/recordscreen',
  summary: "Starts or stops a recording of a computer's screen.",
  access: 'account',
  request: z.object({ target, to: z.enum(['start', 'stop']) }),
});

export const record = command({
  name: 'gallery/record',
  request: z.object({ to: z.enum(['start', 'stop']), by: z.string() }),
});

const YEAR_SECONDS = 366 * DAY_SECONDS;
/** A computer reports whether it records: on each connection, and at each change. */
export const captureState = clientEvent({
  name: 'gallery/recording',
  access: 'device',
  data: z.object({
    isRecording: z.boolean(),
    /** How long it has been recording; a duration, because its clock may differ. Older agents do not send it. */
    seconds: z.optional(z.int().check(z.minimum(0), z.maximum(YEAR_SECONDS))),
  }),
});

/** Sent to all pages of the owner. */
export const galleryChanged = serverEvent({ name: 'gallerychanged', delivery: 'all', data: z.object({}) });
