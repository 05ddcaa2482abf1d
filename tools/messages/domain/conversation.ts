/** Who wrote to whom, by ids of devices. */
interface Ends<Id> {
  /** The device it is for, or the computer that wrote it. */
  readonly device: Id;
  /** The device that wrote it; undefined where only the account is known. */
  readonly from: Id | undefined;
}

/**
 * The device under which a reader finds a message. What goes to a computer and comes from it is one conversation, whoever reads it.
 * Between two browsers it is theirs alone: each finds it under the other. What came to the reading browser from no device (a program
 * that used the account's token) stands under itself.
 *
 * `reader` is the browser that reads; without one, a browser's conversation is all that it was sent. Undefined: it is between others.
 */
export const conversationOf = <Id extends string | number>(
  { device, from }: Ends<Id>,
  reader: Id | undefined,
  isBrowser: (device: Id) => boolean,
): Id | undefined => {
  if (!isBrowser(device) || reader === undefined) return device;
  if (device === reader) return from ?? reader;
  return from === reader ? device : undefined;
};
