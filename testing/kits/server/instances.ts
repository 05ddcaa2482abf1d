import { pino } from 'pino';
import { type ClusterService, createCluster, type MessageChannel } from '#platform/server/cluster/cluster.ts';
import { createManualTimers } from './manualTimers.ts';

/** Channels of instances in this process. Each can be cut off. */
function createHub() {
  const receivers = new Map<string, (text: string) => void>();
  const cutOff = new Set<string>();
  const interruptions = new Map<string, () => void>();
  return {
    createChannel: (id: string): MessageChannel => ({
      send: (text) => {
        if (cutOff.has(id)) return;
        for (const [receiver, receive] of receivers) if (!cutOff.has(receiver)) receive(text);
      },
      onText: (listener) => void receivers.set(id, listener),
      onInterruption: (listener) => void interruptions.set(id, listener),
      countReceivers: async () => receivers.size,
    }),
    cut: (id: string) => void cutOff.add(id),
    reconnect: (id: string) => {
      cutOff.delete(id);
      interruptions.get(id)?.();
    },
  };
}

/** Creates instances that exchange messages in this process, with manual timers. */
export function createInstances() {
  const hub = createHub();
  const timers = createManualTimers();
  const create = (id: string, clockAheadMs = 0): ClusterService =>
    createCluster({
      channel: hub.createChannel(id),
      now: () => timers.now() + clockAheadMs,
      getInstance: () => ({
        id,
        name: id,
        version: '1',
        role: 'all',
        startedAt: 0,
        isLeader: false,
        isReady: true,
        sockets: 0,
      }),
      log: pino({ enabled: false }),
      timers,
    });
  return { hub, timers, create };
}
