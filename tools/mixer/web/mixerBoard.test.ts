import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isSame,
  createSetting,
  describeSetting,
  stepLevel,
  toggleMute,
  type StripSetting,
  createBoard,
  type RequestedStrips,
} from './mixerBoard.ts';

const toSetting = (level: number, muted = false): StripSetting => ({ level, muted });
const NOTHING_GONE = { sessions: [], outputs: [] };
const KEY = 'sessions firefox';

/** Creates a board whose frames and timers the test advances. */
function createTestBoard() {
  let frames: ((time: number) => void)[] = [];
  let timers: { readonly run: () => void; readonly ms: number }[] = [];
  let canSend = true;
  const sent: RequestedStrips[] = [];
  const painted: StripSetting[] = [];
  const board = createBoard({
    send: (_, settings) => void sent.push(settings),
    canSend: () => canSend,
    requestFrame: (callback) => void frames.push(callback),
    schedule: (callback, ms) => {
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
    listLevels: () => sent.map(({ sessions }) => sessions['firefox']?.level),
    runFrame: (ms = 16): void => {
      time += ms;
      const due = frames;
      frames = [];
      for (const callback of due) callback(time);
    },
    settle: (): void => {
      const due = timers;
      timers = [];
      for (const { run } of due) run();
    },
    setConnected: (isConnected: boolean): void => {
      canSend = isConnected;
    },
    receive: (setting: StripSetting): boolean =>
      board.applyReport('1', { outputs: {}, sessions: { firefox: setting } }, NOTHING_GONE),
    poll: (setting: StripSetting | undefined, mark = board.getMark()): void =>
      board.replaceStrips(
        '1',
        { outputs: {}, sessions: setting ? { firefox: { ...setting, colour: 'red' } } : {} },
        mark,
      ),
    getShown: () => board.getSetting(KEY),
  };
}
function createStartedBoard() {
  const testBoard = createTestBoard();
  testBoard.poll(toSetting(50));
  return testBoard;
}

test('a slider is muted at 0 and unmuted at other levels, and the button toggles only above 0', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.boolean(), (level, muted) => {
      expect(createSetting(level)).toEqual({ level, muted: level === 0 });
      expect(toggleMute({ level, muted })).toEqual(level === 0 ? undefined : { level, muted: !muted });
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
  expect([describeSetting(toSetting(40)), describeSetting(toSetting(40, true))]).toEqual([
    '40 percent',
    '40 percent, muted',
  ]);
});

test('at most one value is sent per frame, the newest, and never more than a socket may send', () => {
  const { board, runFrame, listLevels } = createStartedBoard();
  board.hold(KEY);
  for (let level = 51; level <= 60; level++) board.move(KEY, level);
  runFrame();
  expect(listLevels()).toEqual([60]);
  // A screen with 144 frames per second.
  for (let time = 0; time < 144; time++) {
    board.move(KEY, time % 100);
    runFrame(1000 / 144);
  }
  expect(listLevels().length).toBeLessThanOrEqual(1 + 1000 / 15);
  runFrame();
  expect(listLevels().at(-1)).toBe(43);
});

test('two strips that move in one frame are sent together', () => {
  const { board, runFrame, sent } = createTestBoard();
  board.replaceStrips(
    '1',
    { outputs: { Master: { ...toSetting(1), colour: '' } }, sessions: { vlc: { ...toSetting(2), colour: '' } } },
    0,
  );
  board.move('outputs Master', 30);
  board.move('sessions vlc', 40);
  runFrame();
  expect(sent).toEqual([{ outputs: { Master: toSetting(30) }, sessions: { vlc: toSetting(40) } }]);
});

test('a held strip is not moved from elsewhere; after its release it shows the last setting', () => {
  const { board, runFrame, receive, getShown } = createStartedBoard();
  board.hold(KEY);
  board.move(KEY, 60);
  runFrame();
  receive(toSetting(60));
  receive(toSetting(5));
  expect(getShown()).toEqual(toSetting(60));
  board.release(KEY);
  expect(getShown()).toEqual(toSetting(5));
});

test('echoes of changes made here move nothing, however late', () => {
  const { board, runFrame, receive, getShown, settle } = createStartedBoard();
  board.hold(KEY);
  for (const level of [60, 70, 80]) {
    board.move(KEY, level);
    runFrame();
  }
  board.release(KEY);
  for (const level of [60, 70, 80]) {
    receive(toSetting(level));
    expect(getShown()).toEqual(toSetting(80));
  }
  settle();
  expect(getShown()).toEqual(toSetting(80));
  // Much later, the same level is a change from elsewhere.
  receive(toSetting(60));
  expect(getShown()).toEqual(toSetting(60));
});

test('a level from elsewhere that was also set here counts once no echo can arrive', () => {
  const { board, runFrame, receive, getShown, settle } = createStartedBoard();
  board.move(KEY, 60);
  runFrame();
  board.move(KEY, 80);
  runFrame();
  receive(toSetting(80));
  receive(toSetting(60));
  settle();
  expect(getShown()).toEqual(toSetting(60));
});

test('the answer of a poll does not revert levels that were set or reported after its request', () => {
  const { board, runFrame, receive, poll, getShown, settle } = createStartedBoard();
  const mark = board.getMark();
  board.move(KEY, 60);
  runFrame();
  poll(toSetting(50), mark);
  expect(getShown()).toEqual(toSetting(60));
  poll(toSetting(50));
  expect(getShown()).toEqual(toSetting(60));
  settle();
  const laterMark = board.getMark();
  receive(toSetting(7));
  poll(toSetting(60), laterMark);
  expect(getShown()).toEqual(toSetting(7));
  // The next poll shows that the computer did not apply the setting.
  poll(toSetting(50));
  expect(getShown()).toEqual(toSetting(50));
});

test('a strip that is removed while it is held stays until it is released, and is not sent any more', () => {
  const { board, runFrame, poll, listLevels } = createStartedBoard();
  board.hold(KEY);
  board.move(KEY, 60);
  runFrame();
  board.applyReport('1', { outputs: {}, sessions: {} }, { ...NOTHING_GONE, sessions: ['firefox'] });
  board.move(KEY, 70);
  runFrame();
  expect(listLevels()).toEqual([60]);
  expect(board.getViews()).toHaveLength(1);
  const mark = board.getMark();
  board.release(KEY);
  expect(board.getViews()).toHaveLength(0);
  // An older answer does not add it again.
  poll(toSetting(50), mark);
  expect(board.getViews()).toHaveLength(0);
  poll(toSetting(50));
  expect(board.getViews()).toHaveLength(1);
});

test('strips keep their order, Master first; the list is the same while no strip is added or removed', () => {
  const { board, receive } = createTestBoard();
  const createReports = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, { ...toSetting(5), colour: 'red' }]));
  board.replaceStrips('1', { outputs: createReports('HDMI', 'Master'), sessions: createReports('b', 'a') }, 0);
  const listNames = () => board.getViews().map(({ name }) => name);
  expect(listNames()).toEqual(['Master', 'HDMI', 'b', 'a']);
  const previous = board.getViews();
  board.replaceStrips(
    '1',
    { outputs: createReports('Master', 'HDMI'), sessions: createReports('a', 'b') },
    board.getMark(),
  );
  expect(board.getViews()).toBe(previous);
  receive(toSetting(1));
  board.applyReport('1', { outputs: {}, sessions: {} }, { ...NOTHING_GONE, sessions: ['b'] });
  expect(listNames()).toEqual(['Master', 'HDMI', 'a', 'firefox']);
});

test('another computer has another board, and events of other computers are ignored', () => {
  const { board, receive } = createTestBoard();
  expect(receive(toSetting(5))).toBe(false);
  board.replaceStrips('2', { outputs: {}, sessions: { vlc: { ...toSetting(5), colour: '' } } }, 0);
  expect(receive(toSetting(5))).toBe(true);
  expect(board.getViews().map(({ name }) => name)).toEqual(['vlc']);
  board.replaceStrips('1', { outputs: {}, sessions: {} }, board.getMark());
  expect(board.getViews()).toEqual([]);
});

test('changes made while offline are sent afterwards, only the newest; discarded ones are not sent', () => {
  const { board, runFrame, listLevels, setConnected, poll, settle, getShown } = createStartedBoard();
  setConnected(false);
  board.move(KEY, 60);
  runFrame();
  board.move(KEY, 61);
  runFrame();
  setConnected(true);
  board.resume();
  runFrame();
  expect(listLevels()).toEqual([61]);
  setConnected(false);
  board.hold(KEY);
  board.move(KEY, 65);
  board.pause();
  settle();
  poll(toSetting(61));
  expect(getShown()).toEqual(toSetting(65));
  setConnected(true);
  board.resume();
  runFrame();
  expect(listLevels()).toEqual([61, 65]);
  setConnected(false);
  board.move(KEY, 70);
  runFrame();
  board.discardUnsent();
  expect(getShown()).toEqual(toSetting(50));
  setConnected(true);
  board.resume();
  runFrame();
  expect(listLevels()).toEqual([61, 65]);
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
      const { board, runFrame, receive, sent, getShown, settle, painted } = createStartedBoard();
      let computer = toSetting(50);
      let deliveredCount = 0;
      /** Reports on their way to the page, in order. */
      const reports: StripSetting[] = [];
      function changeComputer(next: StripSetting): void {
        if (!isSame(computer, next)) reports.push(next);
        computer = next;
      }
      function deliverReport(): void {
        for (; deliveredCount < sent.length; deliveredCount++)
          changeComputer(sent[deliveredCount]?.sessions['firefox'] ?? computer);
        const report = reports.shift();
        if (report) receive(report);
      }
      const actionByKind = {
        move: (to: number) => board.move(KEY, to),
        elsewhere: (to: number) => changeComputer(toSetting(to)),
        hold: () => board.hold(KEY),
        release: () => board.release(KEY),
        frame: () => runFrame(),
        echo: deliverReport,
      };
      let isHeld = false;
      for (const each of steps) {
        const previous = getShown();
        actionByKind[each.kind]('level' in each ? each.level : 0);
        if (each.kind === 'hold') isHeld = true;
        if (each.kind === 'release') isHeld = false;
        if (isHeld && each.kind !== 'move') expect(getShown()).toEqual(previous);
      }
      board.release(KEY);
      runFrame();
      runFrame();
      deliverReport();
      while (reports.length > 0) deliverReport();
      settle();
      runFrame();
      expect(getShown()).toEqual(computer);
      expect(painted.at(-1)).toEqual(computer);
    }),
  );
});

test('a strip has the output it controls, which does not change with the level', () => {
  const { board } = createTestBoard();
  const getDevice = () => board.getViews().find(({ name }) => name === 'Master')?.device;
  const receive = (fields: object) =>
    board.applyReport('1', { outputs: { Master: { ...toSetting(50), ...fields } }, sessions: {} }, NOTHING_GONE);
  board.replaceStrips(
    '1',
    { outputs: { Master: { ...toSetting(50), colour: 'red', device: 'Speakers' } }, sessions: {} },
    board.getMark(),
  );
  expect(getDevice()).toBe('Speakers');
  receive(toSetting(60));
  expect(getDevice()).toBe('Speakers');
  receive({ device: 'Headset' });
  expect(getDevice()).toBe('Headset');
});
