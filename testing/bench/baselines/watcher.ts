// The simplest program that measures use: reads the focused window each second, and sums up in memory.
import { openDisplay } from '#platform/agent/drivers/x11/display.ts';

const { x, root, request } = await openDisplay(process.env['DISPLAY'] ?? '');
const active = await request<number>((done) => x.InternAtom(false, '_NET_ACTIVE_WINDOW', done));
const secondsByWindow = new Map<number, number>();
async function countFocusedWindow(): Promise<void> {
  const { data } = await request<{ readonly data: Buffer }>((done) => x.GetProperty(0, root, active, 0, 0, 1, done));
  const window = data.length >= 4 ? data.readUInt32LE(0) : 0;
  secondsByWindow.set(window, (secondsByWindow.get(window) ?? 0) + 1);
}
setInterval(() => void countFocusedWindow(), 1000);
process.stdout.write('watches\n');
