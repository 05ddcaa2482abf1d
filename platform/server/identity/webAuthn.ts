import { isIP } from 'node:net';
import type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
} from '#platform/contract/secondFactor.ts';

/** Who asks for a passkey: the host name that it is bound to, and the origins of its pages. */
export interface RelyingParty {
  readonly id: string;
  readonly origins: readonly string[];
}

/**
 * Returns the relying party of the address under which a page is open, or undefined for an IP address, which browsers
 * don't accept. The guard has already checked the host.
 */
export function parseRelyingParty(origin: string): RelyingParty | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { hostname, host } = new URL(origin);
  if (hostname === '' || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) return undefined;
  // Behind a proxy that is not trusted, the request looks like HTTP. Browsers require HTTPS except at localhost.
  return { id: hostname, origins: [new URL(`https://${host}`).origin, new URL(`http://${host}`).origin] };
}

const TIMEOUT_MS = 5 * 60_000;
/** COSE numbers of EdDSA, ECDSA with P-256, and RSA. */
const ALGORITHMS = [-8, -7, -257];

export interface StoredCredential {
  /** base64url, as are the public key and the user handle. */
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

const toDescriptor = ({ credentialId, transports }: Pick<StoredCredential, 'credentialId' | 'transports'>) => ({
  id: credentialId,
  type: 'public-key' as const,
  transports: [...transports],
});

/** Creates the options with which a browser creates a passkey. */
export function createRegistrationOptions(options: {
  readonly relyingParty: RelyingParty;
  readonly challenge: string;
  readonly userHandle: string;
  readonly username: string;
  /** Passkeys that the account already has. */
  readonly existing: readonly StoredCredential[];
}): RegistrationOptions {
  const { relyingParty, challenge, userHandle, username, existing } = options;
  return {
    challenge,
    rp: { id: relyingParty.id, name: 'Pegboard' },
    user: { id: userHandle, name: username, displayName: username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    excludeCredentials: existing.map(toDescriptor),
    // Preferred, not required, so that old security keys work as a second factor.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    attestation: 'none',
    timeout: TIMEOUT_MS,
  };
}

/** Creates the options with which a browser proves a passkey. Without `allowed`, the person chooses an account. */
export function createAuthenticationOptions(options: {
  readonly relyingParty: RelyingParty;
  readonly challenge: string;
  readonly allowed?: readonly StoredCredential[];
}): AuthenticationOptions {
  const { relyingParty, challenge, allowed } = options;
  return {
    challenge,
    rpId: relyingParty.id,
    allowCredentials: (allowed ?? []).map(toDescriptor),
    userVerification: allowed === undefined ? 'required' : 'preferred',
    timeout: TIMEOUT_MS,
  };
}

/** Loads the library when the first passkey is used, because it takes 30 MB. */
const loadLibrary = () => import('@simplewebauthn/server');

const decode = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'));
const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Verifies the answer of a browser that created a passkey. Returns undefined if it is not valid. */
export async function verifyRegistration(
  response: RegistrationResponse,
  { relyingParty, challenge }: { readonly relyingParty: RelyingParty; readonly challenge: string },
): Promise<StoredCredential | undefined> {
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...response,
        response: {
          clientDataJSON: response.response.clientDataJSON,
          attestationObject: response.response.attestationObject,
        },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter } = registrationInfo.credential;
    return {
      credentialId: id,
      publicKey: encode(publicKey),
      counter,
      transports: response.response.transports ?? [],
    };
  } catch {
    return undefined; // the library throws for everything that is not valid
  }
}

/** Verifies the proof of a passkey, and returns its new counter. Returns undefined if it is not valid. */
export async function verifyAuthentication(
  response: AuthenticationResponse,
  options: {
    readonly relyingParty: RelyingParty;
    readonly challenge: string;
    readonly credential: StoredCredential;
    /** Whether the device must have verified the person, by a PIN or a fingerprint. */
    readonly requiresVerification: boolean;
  },
): Promise<number | undefined> {
  const { relyingParty, challenge, credential, requiresVerification } = options;
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { clientDataJSON, authenticatorData, signature } = response.response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...response,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      credential: {
        id: credential.credentialId,
        publicKey: decode(credential.publicKey),
        counter: credential.counter,
      },
      requireUserVerification: requiresVerification,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined; // the library throws for everything that is not valid
  }
}
