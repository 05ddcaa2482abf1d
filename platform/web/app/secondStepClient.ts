import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import { finishlogin, startpasskeylogin, startsecondstep } from '#platform/contract/secondFactor.ts';
import { call } from './call.ts';

/** The second step of a login: which second factors the account has. */
export type SecondStep = AnswerOf<typeof startsecondstep>;

/** Calls of the second step, and of a login with a passkey. Loaded when needed, because the contract imports zod. */
export const secondStepClient = {
  start: ({ username, password }: { readonly username: string; readonly password: string }): Promise<SecondStep> =>
    call(startsecondstep, { username, password }),
  /** Returns what `provePasskey` needs to log in without a password. */
  startPasskeyLogin: () => call(startpasskeylogin, {}),
  /** Completes the second step, or a login with a passkey. */
  finish: (request: RequestInputOf<typeof finishlogin>) => call(finishlogin, request),
};
