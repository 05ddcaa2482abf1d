import { WebSocket } from 'ws';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';

/** A socket that costs the load generator little: Socket.IO's protocol by hand. */
export interface LightSocket {
  readonly send: (event: string, data: unknown) => void;
  /** Sends an event and resolves with its answer. */
  readonly request: (event: string, data: unknown) => Promise<string>;
  readonly close: () => void;
}

/** Opens a socket with a token. Events are acknowledged; `onEvent` gets their JSON. */
export function openLightSocket(
  origin: string,
  token: string,
  onEvent: (json: string) => void = () => undefined,
): Promise<LightSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<LightSocket>();
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`, {
    perMessageDeflate: false,
  });
  const answers = new Map<string, (json: string) => void>();
  let requestCount = 0;
  const light: LightSocket = {
    send: (event, data) => socket.send(`42${JSON.stringify([event, data])}`),
    request: (event, data) =>
      new Promise((onAnswer) => {
        requestCount += 1;
        answers.set(String(requestCount), onAnswer);
        socket.send(`42${requestCount}${JSON.stringify([event, data])}`);
      }),
    close: () => socket.close(),
  };
  socket.on('error', reject);
  socket.on('message', (bytes: Buffer) => {
    const text = bytes.toString();
    if (text === '2') socket.send('3');
    else if (text.startsWith('0')) socket.send(`40${JSON.stringify({ token })}`);
    else if (text.startsWith('40')) resolve(light);
    else if (text.startsWith('44')) reject(new Error(text));
    else {
      const [, kind, packetId = '', content = ''] = /^4([23])(\d*)(.*)$/s.exec(text) ?? [];
      if (kind === '3') answers.get(packetId)?.(content);
      if (kind !== '2') return;
      if (packetId !== '') socket.send(`43${packetId}[]`);
      onEvent(content);
    }
  });
  return promise;
}
