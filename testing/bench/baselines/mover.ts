// The simplest program that moves a pointer by tilt: each event of a bare socket is applied immediately.
import { WebSocket } from 'ws';
import { openDisplay } from '#platform/agent/drivers/x11/display.ts';

const display = await openDisplay(process.env['DISPLAY'] ?? '');
let last: number | undefined;
const socket = new WebSocket((process.argv[2] ?? '').replace('http', 'ws'), { perMessageDeflate: false });
socket.on('message', (data: Buffer) => {
  const { alpha } = JSON.parse(data.toString()) as { readonly alpha: number };
  last ??= alpha;
  // Ignores trembling, or the pointer would never rest.
  if (Math.abs(last - alpha) < 0.15) return;
  display.fakeMove(Math.trunc((last - alpha) * 28), 0);
  last = alpha;
});
socket.on('open', () => process.stdout.write('ready\n'));
