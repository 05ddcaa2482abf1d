import { createUnreachableError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
} from '#platform/contract/secondFactor.ts';

/** Names what is used, so that the rest of the library is not part of the page. */
async function loadLibrary() {
  try {
    const { startAuthentication, startRegistration } = await import('@simplewebauthn/browser');
    return { startAuthentication, startRegistration };
  } catch (cause) {
    throw createUnreachableError(cause);
  }
}

/** @throws Refusal that explains to the user why the browser returned no passkey. */
function explainFailure(error: unknown): never {
  // The library keeps the name of the browser's error.
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError')
    throw new Refusal('passkey.exists', 'This device already has a passkey for this account');
  if (name === 'SecurityError')
    throw new Refusal(
      'passkey.address_unsuitable',
      'This browser allows no passkeys at this address. Check that it trusts the certificate of the server',
    );
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new Refusal('passkey.cancelled', 'No passkey was used. Try again, and confirm on your device');
  throw error;
}

/** Asks the browser to create a passkey. @throws Refusal if it does not. */
export async function createPasskey(options: RegistrationOptions): Promise<RegistrationResponse> {
  const { startRegistration } = await loadLibrary();
  try {
    return await startRegistration({ optionsJSON: options });
  } catch (error) {
    return explainFailure(error);
  }
}

/** Asks the browser to prove a passkey. @throws Refusal if it does not. */
export async function provePasskey(options: AuthenticationOptions): Promise<AuthenticationResponse> {
  const { startAuthentication } = await loadLibrary();
  try {
    return await startAuthentication({ optionsJSON: options });
  } catch (error) {
    return explainFailure(error);
  }
}
