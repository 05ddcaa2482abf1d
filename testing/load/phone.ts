// A phone in its own process: sends every 30 ms that LMB is touched, or with
// `pad` that a finger drags and Ctrl is latched.
import { io } from 'socket.io-client';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { motion, motionInit, pointer } from '#tools/remote/contract.ts';

const [origin = '', token = '', target = '', kind = 'tilt'] = process.argv.slice(2);
const socket = io(origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token } });
const motionEvent = {
  orientation: { alpha: 90, beta: 20, gamma: 0 },
  reset: { lmb: true, lift: false, scroll: false },
  token,
  target,
};
const dragged = {
  stream: 7,
  x: 0,
  y: 0,
  wheelX: 0,
  wheelY: 0,
  turns: { left: 1, middle: 0, right: 0 },
  modifiers: ['Ctrl'],
  target,
};
await socket.emitWithAck(motionInit.name, { token, target });
setInterval(() => {
  if (kind === 'pad') socket.emit(pointer.name, dragged);
  else socket.emit(motion.name, motionEvent);
}, 30);
process.stdout.write('ready\n');
