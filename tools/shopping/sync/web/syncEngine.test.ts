import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change, List } from '../../lists/domain/list.ts';
import { createUnloadedReplica, freeze, hasGap, countUnsent, type Replica } from '../domain/replica.ts';
import { TICK_INTERVAL_MS, decideTick, getBackoffMs, getForcedSendTime } from './sendSchedule.ts';
import { INITIAL_ENGINE_STATE, transition, type EngineState, type SyncEffect, type SyncEvent } from './syncEngine.ts';

const idle = { isInFlight: false, hasFrozen: false, hasPending: false, forcedAt: 9000, failures: 0, failedAt: 0 };

describe('the sync loop', () => {
  test('sends pending changes, one batch at a time', () => {
    expect(decideTick(TICK_INTERVAL_MS, idle)).toBe('wait');
    expect(decideTick(500, { ...idle, hasPending: true })).toBe('send');
    expect(decideTick(500, { ...idle, hasPending: true, isInFlight: true })).toBe('wait');
    expect(decideTick(500, { ...idle, hasPending: true, hasFrozen: true })).toBe('wait');
  });

  test('resends a batch after a failure and a backoff, or when its forced time has come', () => {
    const failed = { ...idle, hasFrozen: true, failures: 2, failedAt: 1000 };
    expect(decideTick(2999, failed)).toBe('wait');
    expect(decideTick(3000, failed)).toBe('resend');
    expect(decideTick(9000, { ...idle, hasFrozen: true })).toBe('resend');
    expect(decideTick(9000, { ...idle, hasFrozen: true, isInFlight: true })).toBe('wait');
  });

  test('backs off 1, 2, 4 and then 8 seconds', () => {
    expect([1, 2, 3, 4, 5, 99].map(getBackoffMs)).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test('forces a new name soon, a known one later, and everything else rarely', () => {
    const known = new Set(['Milk']);
    expect(getForcedSendTime(0, { kind: 'item', id: '2', field: 'name', value: 'Oat milk' }, known)).toBe(8000);
    expect(getForcedSendTime(0, { kind: 'item', id: '2', field: 'name', value: 'Milk' }, known)).toBe(1_000_000);
    expect(getForcedSendTime(0, { kind: 'count', id: '2', by: 1 }, known)).toBe(10_000_000);
  });
});

const LIST: List = { name: 'Home', items: new Map(), types: new Map(), links: new Map() };
const rename: Change = { kind: 'rename', name: 'Camping' };

/** What has not happened yet: the ends of timers, calls and writes that the engine requested. */
type Open = Exclude<SyncEffect, { readonly kind: 'notify' | 'cancelTimer' | 'reportRefusal' }>;

/** Plays the driver and the server: what is open ends in any order, well or badly. */
function createWorld() {
  let state = INITIAL_ENGINE_STATE;
  let replica: Replica = { ...createUnloadedReplica(7, 'client-a', LIST), revision: 2 };
  let open: readonly Open[] = [];
  let now = 0;
  const transitions: {
    readonly before: EngineState;
    readonly event: SyncEvent;
    readonly effects: readonly SyncEffect[];
  }[] = [];
  function dispatch(event: SyncEvent): void {
    const before = state;
    const next = transition(before, event, { now, replica, knownNames: new Set() });
    transitions.push({ before, event, effects: next.effects });
    state = next.state;
    for (const effect of next.effects) {
      if (effect.kind === 'cancelTimer')
        open = open.filter((openEffect) => openEffect.kind !== 'startTimer' || openEffect.timer !== effect.timer);
      else if (effect.kind !== 'notify' && effect.kind !== 'reportRefusal') {
        open = [...open, effect];
        if (effect.kind === 'update') change(effect.step);
      }
    }
  }
  function change(step: (one: Replica) => Replica): void {
    const next = step(replica);
    if (next === replica) return;
    replica = next;
    if (!state.isStopped) dispatch({ kind: 'replicaChanged' });
  }
  /** Ends a call: refused, without an answer, or with one of three answers. */
  function endSend({ send, batch }: Extract<Open, { kind: 'send' }>, how: number): void {
    const { seq } = batch;
    if (how <= 1) return dispatch({ kind: 'sendFailed', send, seq, failure: { isRefusal: how === 1, message: 'No' } });
    const revision = replica.revision + (how === 2 ? 0 : 1);
    const answer = { revision, changed: how > 2, changes: [], ids: {}, seq };
    return dispatch({ kind: 'answered', send, seq, client: 'client-a', answer });
  }
  function endLoad(how: number): void {
    const { revision, frozen, seq } = replica;
    if (how <= 1) return dispatch({ kind: 'loadFailed', revision, failure: { isRefusal: how === 1, message: 'No' } });
    const list = {
      list: LIST,
      revision: Math.max(revision, frozen?.answered ?? 0),
      ids: {},
      seq: how === 2 ? seq : 0,
    };
    return dispatch({ kind: 'loaded', client: 'client-a', list });
  }
  function endFreeze(): void {
    const before = replica;
    change(freeze);
    dispatch({ kind: 'frozen', replica, isOwn: replica !== before });
  }
  function end(effect: Open, how: number): void {
    open = open.filter((openEffect) => openEffect !== effect);
    switch (effect.kind) {
      case 'startTimer':
        now += effect.ms;
        return dispatch(effect.event);
      case 'update':
        return effect.stored && dispatch(effect.stored);
      case 'freeze':
        return endFreeze();
      case 'send':
        return endSend(effect, how);
      case 'load':
        return endLoad(how);
    }
  }
  return {
    dispatch,
    transitions,
    state: () => state,
    replica: () => replica,
    open: () => open,
    end: (which: number, how: number): void => {
      const effect = open[which % Math.max(1, open.length)];
      if (effect) end(effect, how);
    },
  };
}
type World = ReturnType<typeof createWorld>;

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'changed' as const, changes: [rename] }) },
  { weight: 1, arbitrary: fc.constantFrom('connected' as const, 'disconnected' as const, 'flushed' as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('eventReceived' as const),
      event: fc.record({
        revision: fc.integer({ min: 1, max: 8 }),
        changes: fc.constant([[['items', '2'], '_REMOVE']] as const),
        ids: fc.constant({}),
      }),
    }),
  },
  { weight: 12, arbitrary: fc.record({ which: fc.nat(5), how: fc.nat(4) }) },
);
const steps = fc.array(step, { maxLength: 60, size: 'max' });

function play(
  history: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
  onStep: (world: World) => void,
) {
  const world = createWorld();
  world.dispatch({ kind: 'opened', replica: world.replica() });
  for (const action of history) {
    if (typeof action === 'string') world.dispatch({ kind: action });
    else if ('which' in action) world.end(action.which, action.how);
    else world.dispatch(action);
    onStep(world);
  }
  return world;
}
const law = (holds: (world: World) => void, atEnd: (world: World) => void = () => undefined): void =>
  fc.assert(
    fc.property(steps, (history) => atEnd(play(history, holds))),
    { numRuns: 500 },
  );
const isOpen = ({ open }: World, kind: Open['kind'], timer?: string): boolean =>
  open().some(
    (openEffect) =>
      openEffect.kind === kind &&
      (timer === undefined || (openEffect.kind === 'startTimer' && openEffect.timer === timer)),
  );

describe('whatever happens, in whatever order', () => {
  test('unsent changes are never forgotten: a tick, a call or a write will go on with them', () => {
    law((world) => {
      const { isGone } = world.state();
      if (countUnsent(world.replica()) === 0 || isGone) return;
      const isWorking = (['send', 'freeze', 'load', 'update'] as const).some((kind) => isOpen(world, kind));
      expect(isWorking || isOpen(world, 'startTimer', 'tick')).toBe(true);
    });
  });

  test('at most one tick, one load and one gap timer are open', () => {
    law(({ open }) => {
      const timers = open().flatMap((openEffect) =>
        openEffect.kind === 'startTimer' && openEffect.timer !== undefined ? [openEffect.timer] : [],
      );
      expect(new Set(timers).size).toBe(timers.length);
      expect(open().filter(({ kind }) => kind === 'load').length).toBeLessThanOrEqual(1);
    });
  });

  test('a batch is sent again only if nothing is in flight', () => {
    law(
      () => undefined,
      ({ transitions }) => {
        for (const { before, event, effects } of transitions) {
          if (event.kind === 'frozen' || event.kind === 'opened') continue;
          if (before.sending.isInFlight)
            expect(effects.some(({ kind }) => kind === 'send' || kind === 'freeze')).toBe(false);
        }
      },
    );
  });

  test('missing events lead to a load', () => {
    law((world) => {
      if (hasGap(world.replica())) expect(isOpen(world, 'startTimer', 'gap') || world.state().isLoading).toBe(true);
    });
  });

  test('a stopped engine starts no timer of its own, and sends and loads nothing', () => {
    law(
      () => undefined,
      (world) => {
        world.dispatch({ kind: 'stopped' });
        const from = world.transitions.length;
        for (const kind of ['connected', 'flushed', 'replicaChanged', 'ticked'] as const) world.dispatch({ kind });
        const kinds = world.transitions.slice(from).flatMap(({ effects }) => effects.map(({ kind }) => kind));
        for (const kind of ['startTimer', 'send', 'freeze', 'load'])
          expect(kinds.some((otherKind) => otherKind === kind)).toBe(false);
      },
    );
  });

  test('the same state and event always have the same result, and the state is not changed', () => {
    law(
      () => undefined,
      ({ transitions, replica }) => {
        for (const { before, event } of transitions) {
          const text = JSON.stringify(before);
          const context = { now: 1234, replica: replica(), knownNames: new Set<string>() };
          const results = [1, 2].map(() => JSON.stringify(transition(before, event, context)));
          expect(results[0]).toBe(results[1]);
          expect(JSON.stringify(before)).toBe(text);
        }
      },
    );
  });
});

test('a refusal during a load waits for a load that started after it', () => {
  const world = createWorld();
  world.dispatch({ kind: 'changed', changes: [rename] });
  world.dispatch({ kind: 'flushed' });
  const endNext = (kind: Open['kind'], how: number): void =>
    world.end(
      world.open().findIndex((openEffect) => openEffect.kind === kind),
      how,
    );
  endNext('freeze', 0);
  world.dispatch({ kind: 'connected' });
  endNext('send', 1);
  expect(isOpen(world, 'load')).toBe(true);
  endNext('load', 3);
  for (let left = 5; left > 0 && isOpen(world, 'update'); left -= 1) endNext('update', 0);
  // The first load may show the list from before the refusal.
  expect(countUnsent(world.replica())).toBe(1);
  expect(isOpen(world, 'load')).toBe(true);
  endNext('load', 3);
  for (let left = 5; left > 0 && isOpen(world, 'update'); left -= 1) endNext('update', 0);
  expect(countUnsent(world.replica())).toBe(0);
  expect(world.state()).toMatchObject({ problem: 'No', refusals: [] });
});
