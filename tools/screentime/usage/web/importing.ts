import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { importactivitywatch } from '../../contract.ts';
import { piecesOf, recordedIn, type AwayEvent, type ExportChunk } from '../domain/activityWatchExport.ts';

/** Windows of a piece: a second or so of the server's work. */
const PIECE = 2000;

export interface Import {
  readonly pieces: readonly ExportChunk[];
  /** How many of them the server has. */
  readonly sent: number;
  readonly taken: number;
  readonly skipped: number;
  /** The import of each hostname so far: all its parts are undone together. */
  readonly ids: ReadonlyMap<string, number>;
}

/** What is to be sent of a file. @throws Refusal saying what the file is not. */
export const readFile = async (file: Blob): Promise<Import> => {
  let read: unknown;
  try {
    read = JSON.parse(await file.text());
  } catch (cause) {
    throw new Refusal('That file is not JSON: choose what ActivityWatch exported as JSON', { cause });
  }
  const recorded = recordedIn(read);
  if (!recorded) throw new Refusal('That file has no buckets: choose what ActivityWatch exported as JSON');
  if (recorded.length === 0)
    throw new Refusal('That file has no bucket of a window watcher, so there is nothing to take');
  return { pieces: recorded.flatMap((each) => piecesOf(each, PIECE)), sent: 0, taken: 0, skipped: 0, ids: new Map() };
};

const sentOf = ({ timestamp, duration }: AwayEvent) => ({ timestamp, duration });

type SendChunk = (piece: {
  hostname: string;
  window: { timestamp: string; duration: number; app: string }[];
  away: { timestamp: string; duration: number }[];
  importid: number | undefined;
}) => Promise<AnswerOf<typeof importactivitywatch>>;

/** Sends what is not sent yet, piece by piece in order, until it is done, fails, or `isOver` says so; tells after each. */
export const sendPieces = async (
  begun: Import,
  send: SendChunk,
  tell: (state: Import) => void,
  isOver: () => boolean,
): Promise<void> => {
  let state = begun;
  for (const { hostname, window, away } of begun.pieces.slice(begun.sent)) {
    if (isOver()) return;
    const { taken, skipped, importid } = await send({
      hostname,
      window: window.map((event) => ({ ...sentOf(event), app: event.app })),
      away: away.map(sentOf),
      importid: state.ids.get(hostname),
    });
    state = {
      ...state,
      sent: state.sent + 1,
      taken: state.taken + taken,
      skipped: state.skipped + skipped,
      ids: importid === undefined ? state.ids : new Map([...state.ids, [hostname, importid]]),
    };
    tell(state);
  }
};
