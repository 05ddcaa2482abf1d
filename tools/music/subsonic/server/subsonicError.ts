/** Error codes of the protocol. Players show `message` unchanged. */
export const codes = {
  generic: 0,
  missing: 10,
  clientTooOld: 20,
  serverTooOld: 30,
  wrongLogin: 40,
  conflicting: 43,
  wrongKey: 44,
  notAllowed: 50,
  notFound: 70,
} as const;
export type Code = (typeof codes)[keyof typeof codes];

export class SubsonicError extends Error {
  override readonly name = 'SubsonicError';
  readonly code: Code;
  /** HTTP status. Players only read the code; errors outside of the protocol have another status than 200. */
  readonly status: number;
  constructor(code: Code, message: string, status = 200) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export function createNotFoundError(kind: string): SubsonicError {
  return new SubsonicError(codes.notFound, `There is no such ${kind}`);
}
