// What this project uses of the D-Bus client beyond the types it brings.
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
      on(event: 'end', then: () => void): void;
      on(event: 'message', then: (message: DBusMessage) => void): void;
      off(event: 'message', then: (message: DBusMessage) => void): void;
    };
    /** Asks the bus for signals that this rule describes. */
    addMatch(rule: string, done: (error: { readonly name: string } | null) => void): void;
    invoke(
      call: DBusCall,
      done: (error: { readonly name: string } | null, ...values: readonly unknown[]) => void,
    ): void;
  }
  /** @throws where the address is none that it knows. */
  export function createClient(options: { readonly busAddress: string }): SessionBus;
}
