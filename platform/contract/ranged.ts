/** From the first byte to the last, both included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Bytes of a known number, of which any range can be read. */
export interface Ranged {
  readonly size: number;
  /** With its quotes. The same for the same bytes alone. */
  readonly etag: string;
  /**
   * One after another. A piece holds until the next is asked for: its memory is used again.
   * @throws where a file has fewer bytes than it had; what was read before is right.
   */
  readonly read: (range: ByteRange) => AsyncIterable<Uint8Array>;
}
