import { Refusal } from '#platform/contract/refusal.ts';

export interface EgressRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Of the answer, as it comes and unpacked. */
  readonly maxBytes: number;
  /** For all of it, redirects among it; 20 s where left out. Nothing may be silent for longer than 10 s. */
  readonly timeoutMs?: number;
  /** How many are followed; 5 where left out. Of a POST none is. */
  readonly redirects?: number;
  /** Ports of the web alone, but for what the operator allows. */
  readonly isOfWeb?: boolean;
}

export interface EgressResponse {
  readonly status: number;
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Unpacked. */
  readonly body: Uint8Array;
}

/** Requests to addresses that users write down, without letting them into this server's own network (reliability.md section 9, 'URL giver'). */
export interface Egress {
  /**
   * A name and a password in the address are sent to its own origin only. Any status is an answer, but for redirects that are followed.
   * @throws EgressRefusal with a sentence, in which no address stands.
   */
  readonly fetch: (url: string, request: EgressRequest) => Promise<EgressResponse>;
  /** For a program of the system that asks the network by itself: opened for one job, closed with it. */
  readonly openProxy: (limits: ProxyLimits) => Promise<EgressProxy>;
}

export interface ProxyLimits {
  /** Of all answers together. */
  readonly maxBytes: number;
  /** While an answer is waited for; no limit where left out. */
  readonly silentMs?: number;
  /** Told when a limit has broken everything off: whoever runs the program ends it. */
  readonly onBroken?: (trouble: ProxyFault) => void;
}

/** Why the program got no answer, or half of one; it sees only a 403 or a broken line. `inner`: this server may not connect there; `port`: none of the web's. */
export interface ProxyFault {
  readonly fault: 'inner' | 'port' | 'unreached' | 'bytes' | 'silent';
  /** Empty where it was no single one. */
  readonly host: string;
}

/** An HTTP proxy on a port of this computer's own. */
export interface EgressProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly getFaults: () => readonly ProxyFault[];
  /** That came from outside until now. */
  readonly getReceivedBytes: () => number;
}

/** `address`: it is none; `inner`: this server may not connect to it; `port`: none of the web's, where only those were asked for; `unreached`: nobody answered there; `answer`: what came is not taken. */
export type EgressFault = 'address' | 'inner' | 'port' | 'unreached' | 'answer';

/** Why a request was not made or not finished. */
export class EgressRefusal extends Refusal {
  override readonly name = 'EgressRefusal';
  readonly fault: EgressFault;
  constructor(fault: EgressFault, sentence: string, options?: ErrorOptions) {
    super(sentence);
    this.fault = fault;
    if (options?.cause !== undefined) this.cause = options.cause;
  }
}

/** An address as it may be shown: without a name and a password in it. */
export function maskCredentials(address: string): string {
  return URL.canParse(address) ? address.replace(/^([a-z]+:\/*)[^/?#]*@/i, '$1***@') : address;
}
