import type { Timers } from '../schedule/timers.ts';

/** Commands under way to one device. */
export const MAX_CONCURRENT_COMMANDS = 16;

/** Turns at each device, given in the order in which they were asked for. */
export interface CommandSlots {
  /** Gives back how to end the turn; undefined where none was free within `ms`. */
  readonly acquire: (device: number, ms: number) => Promise<(() => void) | undefined>;
}

export const createCommandSlots = (timers: Timers): CommandSlots => {
  const taken = new Map<number, number>();
  const queues = new Map<number, (() => void)[]>();

  const end = (device: number) => (): void => {
    const next = queues.get(device)?.shift();
    if (next) return next(); // the turn goes on to the next one
    const left = (taken.get(device) ?? 1) - 1;
    if (left === 0) taken.delete(device);
    else taken.set(device, left);
    queues.delete(device);
  };
  return {
    acquire: async (device, ms) => {
      const running = taken.get(device) ?? 0;
      if (running < MAX_CONCURRENT_COMMANDS) {
        taken.set(device, running + 1);
        return end(device);
      }
      const queue = queues.get(device) ?? [];
      queues.set(device, queue);
      return new Promise((resolve) => {
        const go = (): void => {
          callOff();
          resolve(end(device));
        };
        const callOff = timers.schedule(ms, () => {
          queue.splice(queue.indexOf(go), 1);
          resolve(undefined);
        });
        queue.push(go);
      });
    },
  };
};
