import { Refusal } from '#platform/contract/refusal.ts';

/** A request with its limits. */
export interface EgressRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Maximum size of the response, compressed and decompressed. */
  readonly maxBytes: number;
  /** Timeout for the whole request with redirects. Default: 20 s. The server may be silent for 10 s. */
  readonly timeoutMs?: number;
  /** Maximum number of redirects. Default: 5. Always 0 for a POST. */
  readonly maxRedirects?: number;
  /** Allows only ports 80, 443, 8080 and 8443, and targets that the operator allows. */
  readonly allowsOnlyWebPorts?: boolean;
}

/** A complete response. */
export interface EgressResponse {
  readonly status: number;
  /** Returns the value of a header. The name must be in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Decompressed content. */
  readonly body: Uint8Array;
}

/**
 * Makes requests to addresses that users enter, without access to this server's network
 * (docs/adr/0025-guarded-egress.md).
 */
export interface Egress {
  /**
   * Fetches an address, and returns the response with any status except a followed redirect.
   * Credentials in the address are only sent to its own origin. @throws EgressRefusal whose message has no address.
   */
  readonly fetch: (url: string, request: EgressRequest) => Promise<EgressResponse>;
  /** Opens the proxy of a job, for programs that access the network themselves. The caller closes it. */
  readonly openJobProxy: (limits: ProxyLimits) => Promise<EgressProxy>;
}

/** Limits of a job's proxy. */
export interface ProxyLimits {
  /** Maximum size of all responses together. */
  readonly maxBytes: number;
  /** Maximum time without data while a response is pending. Default: no limit. */
  readonly maxIdleMs?: number;
  /** Called when a limit has closed all connections, so that the caller can end the program. */
  readonly onLimitExceeded?: (problem: ProxyFault) => void;
}

/**
 * Why a program got no response, or an incomplete one. The program only sees status 403 or a broken connection.
 * `inner`: not allowed for this server; `port`: not a port of the web; `bytes` and `silent`: a limit was exceeded.
 */
export interface ProxyFault {
  readonly fault: 'inner' | 'port' | 'unreached' | 'bytes' | 'silent';
  /** Host that is the cause; empty for an exceeded limit. */
  readonly host: string;
}

/** An HTTP proxy on a local port. */
export interface EgressProxy extends AsyncDisposable {
  /** Address of the proxy: `http://127.0.0.1:<port>`. */
  readonly address: string;
  readonly getFaults: () => readonly ProxyFault[];
  /** Bytes received from outside so far. */
  readonly getReceivedBytes: () => number;
}

/**
 * Kind of a refusal. `address`: invalid; `inner`: not allowed for this server; `port`: not a port of the web;
 * `unreached`: no connection; `answer`: unusable response.
 */
export type EgressFault = 'address' | 'inner' | 'port' | 'unreached' | 'answer';

/** Why a request was not made or not finished. */
export class EgressRefusal extends Refusal {
  override readonly name = 'EgressRefusal';
  readonly fault: EgressFault;
  constructor(fault: EgressFault, sentence: string, options?: ErrorOptions) {
    super(`egress.${fault}`, sentence, options);
    this.fault = fault;
  }
}

/** Returns an address without name and password, for display. */
export function maskCredentials(address: string): string {
  return URL.canParse(address) ? address.replace(/^([a-z]+:\/*)[^/?#]*@/i, '$1***@') : address;
}
