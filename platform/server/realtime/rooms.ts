import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import type { LiveSession } from '../identity/identity.ts';
import { isToken } from '../identity/tokens.ts';
import { getVisitorKey } from '../identity/visitor.ts';
import { type Caller, type Connection, listen, type Listener } from '../tool.ts';
import type { Room } from './realtime.ts';

const AI = '0';
const MUSIC = 'music';

/** The asking browser's own room for AI answers: told by its cookie, and only where it sends none by its address (contract.md section 2). */
export function getAiRoom(caller: Pick<Caller, 'address' | 'cookie'>): Room {
  const visitor = getVisitorKey(caller);
  return visitor === undefined ? `ai:address-${caller.address}` : `ai:browser-${visitor}`;
}

/** Of all pages of the account: a download that one of them began is followed in the others too. */
export function getMusicRoom(account: number): Room {
  return `music:${account}`;
}

interface RoomListenersDeps {
  /** The person's session behind a token, with the socket put into its rooms. @throws InvalidToken */
  readonly enter: (token: string, connection: Connection) => Promise<LiveSession>;
}

/** The two events of the specification with which a socket says what it is and what it wants to hear. */
export function createRoomListeners({ enter }: RoomListenersDeps): readonly Listener[] {
  return [
    listen(connectEvent, async () => ({})),
    listen(roomInit, async ({ id }, caller, connection) => {
      if (id === AI) {
        connection.join(getAiRoom(caller));
        return {};
      }
      const isMusic = id.endsWith(MUSIC) && !isToken(id);
      const session = await enter(isMusic ? id.slice(0, -MUSIC.length) : id, connection);
      if (isMusic) connection.join(getMusicRoom(session.account));
      return {};
    }),
  ];
}
