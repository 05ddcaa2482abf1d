import { hash } from 'node:crypto';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import type { LiveSession } from '../identity/identity.ts';
import { isToken } from '../identity/tokens.ts';
import { type Caller, type Connection, listen, type Listener } from '../tool.ts';
import type { Room } from './realtime.ts';

export const VISITOR_COOKIE = 'pb_visitor';
const AI = '0';
const MUSIC = 'music';

/** The asking browser's own room for AI answers: told by its cookie, and only where it sends none by its address (contract.md section 2). */
export const aiRoom = ({ address, cookie }: Pick<Caller, 'address' | 'cookie'>): Room => {
  const visitor = cookie(VISITOR_COOKIE);
  return visitor === undefined || visitor === ''
    ? `ai:address-${address}`
    : `ai:browser-${hash('sha256', visitor, 'base64url').slice(0, 22)}`;
};

export const musicRoom = (session: number): Room => `music:${session}`;

interface RoomGround {
  /** The person's session behind a token, with the socket put into its rooms. @throws InvalidToken */
  readonly enter: (token: string, connection: Connection) => Promise<LiveSession>;
}

/** The two events of the specification with which a socket says what it is and what it wants to hear. */
export const roomListeners = ({ enter }: RoomGround): readonly Listener[] => [
  listen(connectEvent, async () => ({})),
  listen(roomInit, async ({ id }, caller, connection) => {
    if (id === AI) {
      connection.join(aiRoom(caller));
      return {};
    }
    const isMusic = id.endsWith(MUSIC) && !isToken(id);
    const session = await enter(isMusic ? id.slice(0, -MUSIC.length) : id, connection);
    if (isMusic) connection.join(musicRoom(session.id));
    return {};
  }),
];
