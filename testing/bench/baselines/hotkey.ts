// The simplest program that sets a volume by hotkeys: grabs `u` and `d`, and runs pactl for each press.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { openDisplay } from '#platform/agent/drivers/x11/display.ts';

const UP = 30;
const DOWN = 40;

const { x, root, sync, onEvent } = await openDisplay(process.env['DISPLAY'] ?? '');
onEvent(({ name, keycode }) => {
  if (name !== 'KeyPress') return;
  const change = keycode === UP ? '+5%' : '-5%';
  spawn('pactl', ['set-sink-input-volume', process.env['STREAM'] ?? '', change], { stdio: 'ignore' });
});
for (const keycode of [UP, DOWN]) x.GrabKey(root, 0, 0, keycode, 1, 1, () => true);
await sync();
createServer((_, response) => response.end('up')).listen(Number(process.env['PORT']), '127.0.0.1');
