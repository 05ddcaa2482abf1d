import { OFFLINE, STATUSES, type Presence, type Status } from '../../domain/status.ts';

/** Somebody's presence, as far as we read what the gateway says of it. */
export interface GatewayPresence {
  readonly user: { readonly id: string };
  readonly status?: string | undefined;
  readonly client_status?:
    | {
        readonly desktop?: string | undefined;
        readonly web?: string | undefined;
        readonly mobile?: string | undefined;
      }
    | undefined;
}

const statusOf = (said: string | undefined): Status => STATUSES.find((status) => status === said) ?? 'offline';

const toPresence = ({ status, client_status: on = {} }: GatewayPresence): Presence => ({
  both: statusOf(status),
  pc: statusOf(on.desktop ?? on.web),
  mobile: statusOf(on.mobile),
});

/**
 * Everybody's presence, guild by guild, as the gateway says it. The library's own cache is not asked: it drops what comes of people that
 * it has not met since it started, which is whoever was offline then.
 */
export const createPresences = () => {
  /** Undefined for a guild that has not been told yet, or is out of order. */
  const guilds = new Map<string, Map<string, Presence> | undefined>();
  return {
    /** A new session: its guilds are told one after another. */
    begin: (ids: readonly string[]): void => {
      guilds.clear();
      for (const id of ids) guilds.set(id, undefined);
    },
    /** Who is missing is offline. */
    guild: (id: string, presences: readonly GatewayPresence[]): void =>
      void guilds.set(id, new Map(presences.map((presence) => [presence.user.id, toPresence(presence)]))),
    /** Out of order, or left. */
    guildGone: (id: string, isOutOfOrder: boolean): void => {
      if (isOutOfOrder) guilds.set(id, undefined);
      else guilds.delete(id);
    },
    update: (guild: string, presence: GatewayPresence): void => {
      const people = guilds.get(guild);
      if (presence.status === 'offline') people?.delete(presence.user.id);
      else people?.set(presence.user.id, toPresence(presence));
    },
    /** Undefined where a guild that they may be in is not told of, or there is none. */
    of: (person: string): Presence | undefined => {
      const all = [...guilds.values()];
      const found = all.find((people) => people?.has(person))?.get(person);
      if (found) return found;
      return all.length === 0 || all.includes(undefined) ? undefined : OFFLINE;
    },
  };
};
