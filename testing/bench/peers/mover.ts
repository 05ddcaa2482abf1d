// The simplest program that moves a pointer by tilt: every event of a bare socket is so many pixels at once.
import { WebSocket } from 'ws';
import { openDisplay } from '#platform/agent/drivers/x11/display.ts';

const display = await openDisplay(process.env['DISPLAY'] ?? '');
let last: number | undefined;
const socket = new WebSocket((process.argv[2] ?? '').replace('http', 'ws'), { perMessageDeflate: false });
socket.on('message', (data: Buffer) => {
  const { alpha } = JSON.parse(data.toString()) as { readonly alpha: number };
  const pixels = Math.trunc(((last ?? alpha) - alpha) * 28);
  if (pixels !== 0 || last === undefined) last = alpha;
  if (pixels !== 0) display.fakeMove(pixels, 0);
});
socket.on('open', () => process.stdout.write('ready\n'));
