import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import type { LiveSession } from '../identity/identity.ts';
import { isToken } from '../identity/tokens.ts';
import { type Connection, type JoinableRoom, listen, type Listener } from '../tool.ts';

interface RoomListenersDeps {
  /** Finds the person's session of a token, and adds the socket to its rooms. @throws InvalidTokenRefusal */
  readonly enter: (token: string, connection: Connection) => Promise<LiveSession>;
  readonly rooms: readonly JoinableRoom[];
}

/**
 * Creates the listeners of the two events with which a socket identifies itself and joins rooms
 * (docs/specification/platform.md section 3.2).
 */
export function createRoomListeners({ enter, rooms }: RoomListenersDeps): readonly Listener[] {
  return [
    listen(connectEvent, async () => ({})),
    listen(roomInit, async ({ id }, caller, connection) => {
      for (const room of rooms) {
        if ('id' in room && room.id === id) {
          connection.join(room.getRoom(caller));
          return {};
        }
        if ('tokenSuffix' in room && id.endsWith(room.tokenSuffix) && !isToken(id)) {
          const session = await enter(id.slice(0, -room.tokenSuffix.length), connection);
          connection.join(room.getRoom(session.account));
          return {};
        }
      }
      await enter(id, connection);
      return {};
    }),
  ];
}
