import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isSame,
  createSetting,
  describeSetting,
  stepLevel,
  toggled,
  type StripSetting,
  createBoard,
  type RequestedStrips,
} from './mixerBoard.ts';

const at = (level: number, muted = false): StripSetting => ({ level, muted });
const NOTHING_GONE = { sessions: [], outputs: [] };
const KEY = 'sessions firefox';

/** A board whose frames and timers the test advances. */
const bench = () => {
  let frames: ((time: number) => void)[] = [];
  let timers: { readonly run: () => void; readonly ms: number }[] = [];
  let isUp = true;
  const sent: RequestedStrips[] = [];
  const painted: StripSetting[] = [];
  const board = createBoard({
    send: (_, requested) => void sent.push(requested),
    canSend: () => isUp,
    frame: (callback) => void frames.push(callback),
    later: (callback, ms) => {
      const timer = { run: callback, ms };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  });
  board.paint(KEY, (setting) => void painted.push(setting));
  let time = 0;
  return {
    board,
    sent,
    painted,
    levels: () => sent.map(({ sessions }) => sessions['firefox']?.level),
    frame: (ms = 16): void => {
      time += ms;
      const now = frames;
      frames = [];
      for (const callback of now) callback(time);
    },
    settle: (): void => {
      const now = timers;
      timers = [];
      for (const { run } of now) run();
    },
    line: (up: boolean): void => {
      isUp = up;
    },
    receive: (setting: StripSetting): boolean =>
      board.take('1', { outputs: {}, sessions: { firefox: setting } }, NOTHING_GONE),
    poll: (setting: StripSetting | undefined, mark = board.mark()): void =>
      board.takeAll('1', { outputs: {}, sessions: setting ? { firefox: { ...setting, colour: 'red' } } : {} }, mark),
    shown: () => board.read(KEY),
  };
};
const started = () => {
  const made = bench();
  made.poll(at(50));
  return made;
};

test('a slider is muted at 0 and unmuted at other levels, and the button toggles only above 0', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.boolean(), (level, muted) => {
      expect(createSetting(level)).toEqual({ level, muted: level === 0 });
      expect(toggled({ level, muted })).toEqual(level === 0 ? undefined : { level, muted: !muted });
    }),
  );
});

test('keys step by 1 and 10 and to the ends, and never beyond', () => {
  expect(
    ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'PageUp', 'PageDown', 'Home', 'End', 'a'].map((key) =>
      stepLevel(key, 50),
    ),
  ).toEqual([51, 51, 49, 49, 60, 40, 0, 100, undefined]);
  expect([stepLevel('PageUp', 95), stepLevel('PageDown', 4)]).toEqual([100, 0]);
  expect([describeSetting(at(40)), describeSetting(at(40, true))]).toEqual(['40 percent', '40 percent, muted']);
});

test('at most one value is sent per frame, the newest, and never more than a socket may send', () => {
  const { board, frame, levels } = started();
  board.hold(KEY);
  for (let level = 51; level <= 60; level++) board.move(KEY, level);
  frame();
  expect(levels()).toEqual([60]);
  // A screen with 144 frames per second.
  for (let time = 0; time < 144; time++) {
    board.move(KEY, time % 100);
    frame(1000 / 144);
  }
  expect(levels().length).toBeLessThanOrEqual(1 + 1000 / 15);
  frame();
  expect(levels().at(-1)).toBe(43);
});

test('two strips that move in one frame are sent together', () => {
  const { board, frame, sent } = bench();
  board.takeAll('1', { outputs: { Master: { ...at(1), colour: '' } }, sessions: { vlc: { ...at(2), colour: '' } } }, 0);
  board.move('outputs Master', 30);
  board.move('sessions vlc', 40);
  frame();
  expect(sent).toEqual([{ outputs: { Master: at(30) }, sessions: { vlc: at(40) } }]);
});

test('a held strip is not moved from outside; after its release it shows the last setting', () => {
  const { board, frame, receive, shown } = started();
  board.hold(KEY);
  board.move(KEY, 60);
  frame();
  receive(at(60));
  receive(at(5));
  expect(shown()).toEqual(at(60));
  board.release(KEY);
  expect(shown()).toEqual(at(5));
});

test('echoes of own changes move nothing, however late', () => {
  const { board, frame, receive, shown, settle } = started();
  board.hold(KEY);
  for (const level of [60, 70, 80]) {
    board.move(KEY, level);
    frame();
  }
  board.release(KEY);
  for (const level of [60, 70, 80]) {
    receive(at(level));
    expect(shown()).toEqual(at(80));
  }
  settle();
  expect(shown()).toEqual(at(80));
  // Much later, such a level is a change by somebody else.
  receive(at(60));
  expect(shown()).toEqual(at(60));
});

test('if somebody else sets a level that was also set here, it counts once no echo can come', () => {
  const { board, frame, receive, shown, settle } = started();
  board.move(KEY, 60);
  frame();
  board.move(KEY, 80);
  frame();
  receive(at(80));
  receive(at(60));
  settle();
  expect(shown()).toEqual(at(60));
});

test('an answer of the poll does not revert what was set or reported after its request', () => {
  const { board, frame, receive, poll, shown, settle } = started();
  const mark = board.mark();
  board.move(KEY, 60);
  frame();
  poll(at(50), mark);
  expect(shown()).toEqual(at(60));
  poll(at(50));
  expect(shown()).toEqual(at(60));
  settle();
  const later = board.mark();
  receive(at(7));
  poll(at(60), later);
  expect(shown()).toEqual(at(7));
  // The next poll shows what the computer did not do after all.
  poll(at(50));
  expect(shown()).toEqual(at(50));
});

test('a strip that is removed while it is held stays until it is released, and is not sent any more', () => {
  const { board, frame, poll, levels } = started();
  board.hold(KEY);
  board.move(KEY, 60);
  frame();
  board.take('1', { outputs: {}, sessions: {} }, { ...NOTHING_GONE, sessions: ['firefox'] });
  board.move(KEY, 70);
  frame();
  expect(levels()).toEqual([60]);
  expect(board.views()).toHaveLength(1);
  const mark = board.mark();
  board.release(KEY);
  expect(board.views()).toHaveLength(0);
  // An older answer does not bring it back.
  poll(at(50), mark);
  expect(board.views()).toHaveLength(0);
  poll(at(50));
  expect(board.views()).toHaveLength(1);
});

test('strips keep their order, Master first; the list is the same while no strip is added or removed', () => {
  const { board, receive } = bench();
  const createLevels = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, { ...at(5), colour: 'red' }]));
  board.takeAll('1', { outputs: createLevels('HDMI', 'Master'), sessions: createLevels('b', 'a') }, 0);
  const names = () => board.views().map(({ name }) => name);
  expect(names()).toEqual(['Master', 'HDMI', 'b', 'a']);
  const before = board.views();
  board.takeAll('1', { outputs: createLevels('Master', 'HDMI'), sessions: createLevels('a', 'b') }, board.mark());
  expect(board.views()).toBe(before);
  receive(at(1));
  board.take('1', { outputs: {}, sessions: {} }, { ...NOTHING_GONE, sessions: ['b'] });
  expect(names()).toEqual(['Master', 'HDMI', 'a', 'firefox']);
});

test('another computer has another board, and events of other computers are ignored', () => {
  const { board, receive } = bench();
  expect(receive(at(5))).toBe(false);
  board.takeAll('2', { outputs: {}, sessions: { vlc: { ...at(5), colour: '' } } }, 0);
  expect(receive(at(5))).toBe(true);
  expect(board.views().map(({ name }) => name)).toEqual(['vlc']);
  board.takeAll('1', { outputs: {}, sessions: {} }, board.mark());
  expect(board.views()).toEqual([]);
});

test('changes made while offline are sent afterwards, only the newest; discarded ones are not sent', () => {
  const { board, frame, levels, line, poll, settle, shown } = started();
  line(false);
  board.move(KEY, 60);
  frame();
  board.move(KEY, 61);
  frame();
  line(true);
  board.wake();
  frame();
  expect(levels()).toEqual([61]);
  line(false);
  board.hold(KEY);
  board.move(KEY, 65);
  board.pause();
  settle();
  poll(at(61));
  expect(shown()).toEqual(at(65));
  line(true);
  board.wake();
  frame();
  expect(levels()).toEqual([61, 65]);
  line(false);
  board.move(KEY, 70);
  frame();
  board.giveUp();
  expect(shown()).toEqual(at(50));
  line(true);
  board.wake();
  frame();
  expect(levels()).toEqual([61, 65]);
});

const level = fc.integer({ min: 0, max: 100 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('move' as const), level }),
  fc.record({ kind: fc.constant('elsewhere' as const), level }),
  fc.constantFrom(
    { kind: 'hold' as const },
    { kind: 'release' as const },
    { kind: 'frame' as const },
    { kind: 'echo' as const },
  ),
);

test('after any order of events, the page finally shows the state of the computer', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { board, frame, receive, sent, shown, settle, painted } = started();
      let computer = at(50);
      let taken = 0;
      /** Reports on their way to the page, in order. */
      const reports: StripSetting[] = [];
      const change = (next: StripSetting): void => {
        if (!isSame(computer, next)) reports.push(next);
        computer = next;
      };
      const deliver = (): void => {
        for (; taken < sent.length; taken++) change(sent[taken]?.sessions['firefox'] ?? computer);
        const report = reports.shift();
        if (report) receive(report);
      };
      const doStep = {
        move: (to: number) => board.move(KEY, to),
        elsewhere: (to: number) => change(at(to)),
        hold: () => board.hold(KEY),
        release: () => board.release(KEY),
        frame: () => frame(),
        echo: deliver,
      };
      let held = false;
      for (const each of steps) {
        const before = shown();
        doStep[each.kind]('level' in each ? each.level : 0);
        if (each.kind === 'hold') held = true;
        if (each.kind === 'release') held = false;
        if (held && each.kind !== 'move') expect(shown()).toEqual(before);
      }
      board.release(KEY);
      frame();
      frame();
      deliver();
      while (reports.length > 0) deliver();
      settle();
      frame();
      expect(shown()).toEqual(computer);
      expect(painted.at(-1)).toEqual(computer);
    }),
  );
});

test('a strip has the output it controls, keeps it when levels change, and follows a change of it', () => {
  const { board } = bench();
  const device = () => board.views().find(({ name }) => name === 'Master')?.device;
  const receive = (fields: object) =>
    board.take('1', { outputs: { Master: { ...at(50), ...fields } }, sessions: {} }, NOTHING_GONE);
  board.takeAll(
    '1',
    { outputs: { Master: { ...at(50), colour: 'red', device: 'Speakers' } }, sessions: {} },
    board.mark(),
  );
  expect(device()).toBe('Speakers');
  receive(at(60));
  expect(device()).toBe('Speakers');
  receive({ device: 'Headset' });
  expect(device()).toBe('Headset');
});
