import { roomInit } from '#platform/contract/realtime.ts';
import { downloadProgress, ytdownload } from '#tools/music/contract.ts';
import type { TestAccount, TestServer } from '../server/server.ts';
import { openSocket } from '../server/socket.ts';

/** A download as the page sees it, change by change. */
export interface DownloadOutcome {
  readonly id: number;
  /** Distinct codes in order, up to the last one. */
  readonly codes: readonly number[];
  readonly title: string;
  readonly status: string;
  readonly reason: string | undefined;
  /** Id of the song; 0 until it is saved. */
  readonly song: number;
  readonly percents: readonly number[];
}

interface Change {
  readonly downloadid: number;
  readonly status: {
    readonly title: string;
    readonly status: string;
    readonly failed: number;
    readonly video_id: number | '';
    readonly percent?: number;
    readonly reason?: string;
    readonly parent?: number;
    readonly closed?: true;
  };
}

/** A page of an account in its music room. */
export interface DownloadsPage extends AsyncDisposable {
  readonly queueLink: (url: string, playlist?: number) => Promise<number>;
  /** All changes in order. */
  readonly changes: readonly Change[];
  /** Resolves when a download is saved or has failed; for a list, when all of it has. */
  readonly waitForEnd: (id: number) => Promise<DownloadOutcome>;
  /** Resolves with the first matching change, past or future. */
  readonly waitForChange: (isWanted: (change: Change) => boolean) => Promise<Change>;
  readonly socket: Awaited<ReturnType<typeof openSocket>>;
}

const SAVE = 3;
const FAILED = 1;

const withoutRepeats = (codes: readonly number[]): readonly number[] =>
  codes.filter((code, index) => code !== codes[index - 1]);

export async function openDownloadsPage(server: TestServer, account: TestAccount): Promise<DownloadsPage> {
  const changes: Change[] = [];
  const waiting = new Set<() => void>();
  const socket = await openSocket(server, {
    token: account.token,
    takes: {
      [downloadProgress.name]: (change: Change) => {
        changes.push(change);
        for (const check of waiting) check();
      },
    },
  });
  await socket.request(roomInit, { id: `${account.token}music` });
  const waitForChange = (isWanted: (change: Change) => boolean): Promise<Change> =>
    new Promise((resolve) => {
      function check(): void {
        const change = changes.find(isWanted);
        if (!change) return;
        waiting.delete(check);
        resolve(change);
      }
      waiting.add(check);
      check();
    });
  return {
    changes,
    socket,
    waitForChange,
    queueLink: async (url, playlist) =>
      (await account.call(ytdownload, { url, ...(playlist === undefined ? {} : { playlist }) })).downloadid,
    waitForEnd: async (id) => {
      const { status: last } = await waitForChange(
        ({ downloadid, status }) => downloadid === id && (status.failed === SAVE || status.failed === FAILED),
      );
      const statuses = changes.filter(({ downloadid }) => downloadid === id).map(({ status }) => status);
      return {
        id,
        codes: withoutRepeats(statuses.map(({ failed }) => failed)),
        title: last.title,
        status: last.status,
        reason: last.reason,
        song: last.video_id === '' ? 0 : last.video_id,
        percents: statuses.flatMap(({ percent }) => percent ?? []),
      };
    },
    [Symbol.asyncDispose]: () => socket[Symbol.asyncDispose](),
  };
}
