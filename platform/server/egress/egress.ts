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
}

export interface EgressAnswer {
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
  readonly fetch: (url: string, request: EgressRequest) => Promise<EgressAnswer>;
}

/** `address`: it is none; `inner`: this server may not connect to it; `unreached`: nobody answered there; `answer`: what came is not taken. */
export type EgressFault = 'address' | 'inner' | 'unreached' | 'answer';

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
export const maskedAddress = (address: string): string =>
  URL.canParse(address) ? address.replace(/^([a-z]+:\/*)[^/?#]*@/i, '$1***@') : address;
