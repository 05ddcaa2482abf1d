// Parts of the D-Bus client's API that the types of the package lack.
import type { Socket } from 'node:net';
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
  /** An object's methods by name, with the signatures of their parameters and their result. */
  export interface ExportedInterface {
    readonly name: string;
    readonly methods: Readonly<Record<string, readonly [parameters: string, result: string]>>;
    readonly signals?: Readonly<Record<string, readonly [parameters: string]>>;
    readonly properties?: Readonly<Record<string, string>>;
  }
  export interface SessionBus {
    /** Our unique name, once the bus has admitted us. */
    readonly name?: string;
    readonly connection: BusConnection & {
      end(): void;
      on(event: 'end', listener: () => void): void;
      on(event: 'message', listener: (message: DBusMessage) => void): void;
      off(event: 'message', listener: (message: DBusMessage) => void): void;
    };
    /** Subscribes to the signals that match the rule. */
    addMatch(rule: string, done: (error: { readonly name: string } | null) => void): void;
    /** Offers an object to other programs. Its methods and properties have the names of the interface. */
    exportInterface(object: object, path: string, definition: ExportedInterface): void;
    /** The offered objects by path. */
    readonly exportedObjects: Record<string, unknown>;
    sendSignal(path: string, interfaceName: string, member: string, signature: string, body: readonly unknown[]): void;
    requestName(name: string, flags: number, done: (error: { readonly name: string } | null) => void): void;
    invoke(
      call: DBusCall,
      done: (error: { readonly name: string } | null, ...values: readonly unknown[]) => void,
    ): void;
  }
  /**
   * Creates a client.
   * @throws if the kind of address is unknown.
   */
  export function createClient(options: { readonly busAddress: string } | { readonly stream: Socket }): SessionBus;
}
