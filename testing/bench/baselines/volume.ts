// The simplest program that sets a volume remotely:
// a ws server beside the sound server, which notifies all other sockets.
import { createServer } from 'node:http';
import pulse from 'pulseaudio.js';
import { type WebSocket, WebSocketServer } from 'ws';

const sound = new pulse.PulseAudio(
  { name: 'peer' },
  Buffer.alloc(256),
  process.env['PULSE_SERVER']?.replace('unix:', ''),
);
sound.on('error', () => process.exit(1));
await sound.connect();
const http = createServer((_, response) => response.end('up')).listen(Number(process.env['PORT']), '127.0.0.1');
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
async function setVolume(text: string, sender: WebSocket): Promise<void> {
  const { index, level } = JSON.parse(text) as { readonly index: number; readonly level: number };
  const volume = Math.round((level * 65_536) / 100);
  await sound.setSinkInputVolume(index, [volume, volume]);
  for (const other of sockets.clients) if (other !== sender) other.send(text);
}
sockets.on('connection', (socket) =>
  socket.on('message', (data) => void setVolume((data as Buffer).toString(), socket)),
);
