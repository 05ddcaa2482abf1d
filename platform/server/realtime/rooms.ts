import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import type { LiveSession } from '../identity/identity.ts';
import { isToken } from '../identity/tokens.ts';
import { getVisitorKey } from '../identity/visitor.ts';
import { type Caller, type Connection, listen, type Listener } from '../tool.ts';
import type { Room } from './realtime.ts';

const AI_SUFFIX = '0';
const MUSIC_SUFFIX = 'music';

/**
 * Returns the room for AI answers of the calling browser: by its cookie, or else by its address
 * (docs/specification/platform.md section 3.3).
 */
export function getAiRoom(caller: Pick<Caller, 'address' | 'cookie'>): Room {
  const visitor = getVisitorKey(caller);
  return visitor === undefined ? `ai:address-${caller.address}` : `ai:browser-${visitor}`;
}

/** Returns the room of all music pages of the account, so that each can follow downloads of the others. */
export function getMusicRoom(account: number): Room {
  return `music:${account}`;
}

interface RoomListenersDeps {
  /** Finds the person's session of a token, and adds the socket to its rooms. @throws InvalidTokenRefusal */
  readonly enter: (token: string, connection: Connection) => Promise<LiveSession>;
}

/**
 * Creates the listeners of the two events with which a socket identifies itself and joins rooms
 * (docs/specification/platform.md section 3.2).
 */
export function createRoomListeners({ enter }: RoomListenersDeps): readonly Listener[] {
  return [
    listen(connectEvent, async () => ({})),
    listen(roomInit, async ({ id }, caller, connection) => {
      if (id === AI_SUFFIX) {
        connection.join(getAiRoom(caller));
        return {};
      }
      const isMusic = id.endsWith(MUSIC_SUFFIX) && !isToken(id);
      const session = await enter(isMusic ? id.slice(0, -MUSIC_SUFFIX.length) : id, connection);
      if (isMusic) connection.join(getMusicRoom(session.account));
      return {};
    }),
  ];
}
