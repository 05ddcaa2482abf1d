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
  export interface SessionBus {
    readonly connection: BusConnection & { end(): void };
    invoke(
      call: DBusCall,
      done: (error: { readonly name: string } | null, ...values: readonly unknown[]) => void,
    ): void;
  }
  /** @throws where the address is none that it knows. */
  export function createClient(options: { readonly busAddress: string }): SessionBus;
}
