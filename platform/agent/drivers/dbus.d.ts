// Parts of the D-Bus client's API that the types of the package lack.
import type { BusConnection } from '@homebridge/dbus-native';

declare module '@homebridge/dbus-native' {
  export interface DBusCall {
    readonly destination: string;
    readonly path: string;
    readonly interface: string;
    readonly member: string;
    readonly signature?: string;
    readonly body?: readonly unknown[];
  }
  export interface DBusMessage {
    readonly sender?: string;
    readonly path?: string;
    readonly interface?: string;
    readonly member?: string;
    readonly body?: readonly unknown[];
  }
  export interface SessionBus {
    readonly connection: BusConnection & {
      end(): void;
      on(event: 'end', listener: () => void): void;
      on(event: 'message', listener: (message: DBusMessage) => void): void;
      off(event: 'message', listener: (message: DBusMessage) => void): void;
    };
    /** Subscribes to the signals that match the rule. */
    addMatch(rule: string, done: (error: { readonly name: string } | null) => void): void;
    invoke(
      call: DBusCall,
      done: (error: { readonly name: string } | null, ...values: readonly unknown[]) => void,
    ): void;
  }
  /**
   * Creates a client.
   * @throws if the kind of address is unknown.
   */
  export function createClient(options: { readonly busAddress: string }): SessionBus;
}
