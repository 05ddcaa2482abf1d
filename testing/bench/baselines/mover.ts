// The simplest program that moves a pointer by tilt: each event of a bare socket is applied immediately.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { openDesktopSession } from '#platform/agent/drivers/openDesktopSession.ts';

const heldPath = join(tmpdir(), `pegboard-mover-${process.pid}.json`);
const { mouse } = await openDesktopSession({ env: process.env, heldPath });
let last: number | undefined;
const socket = new WebSocket((process.argv[2] ?? '').replace('http', 'ws'), { perMessageDeflate: false });
socket.on('message', (data: Buffer) => {
  const { alpha } = JSON.parse(data.toString()) as { readonly alpha: number };
  last ??= alpha;
  // Ignores trembling, or the pointer would never rest.
  if (Math.abs(last - alpha) < 0.15) return;
  mouse.move(Math.trunc((last - alpha) * 28), 0);
  last = alpha;
});
socket.on('open', () => process.stdout.write('ready\n'));
