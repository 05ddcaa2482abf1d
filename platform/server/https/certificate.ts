import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  NameConstraints,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity as X509Validity,
  Version,
} from '@peculiar/asn1-x509';

// X.509 certificates for P-256 keys (RFC 5280), as far as our own authority needs them. Node cannot create any.

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const SERIAL_BYTES = 16;

/** Copies bytes into an ArrayBuffer, as the library requires. */
const toArrayBuffer = (buffer: Uint8Array): ArrayBuffer => new Uint8Array(buffer).buffer;

const createName = (commonName: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: COMMON_NAME, value: new AttributeValue({ utf8String: commonName }) }),
    ]),
  ]);

const createExtension = (extnID: string, critical: boolean, value: unknown): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

const exportSpki = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
/** Computes the key id: RFC 7093 section 2, method 1, over the whole SubjectPublicKeyInfo. */
const computeKeyId = (key: KeyObject): ArrayBuffer =>
  toArrayBuffer(createHash('sha256').update(exportSpki(key)).digest().subarray(0, 20));

/** Converts a range such as `10.0.0.0/8`, an address or a host name. */
const toGeneralName = (host: string): GeneralName =>
  new GeneralName(isIP(host.replace(/\/\d+$/, '')) === 0 ? { dNSName: host } : { iPAddress: host });

/** Period in which a certificate is valid. */
export interface Validity {
  readonly notBefore: Temporal.Instant;
  readonly notAfter: Temporal.Instant;
}

interface CertificateFields extends Validity {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Extension[];
}

const toDate = (instant: Temporal.Instant): Date => new Date(instant.epochMilliseconds);

function createCertificate(fields: CertificateFields): Buffer {
  const { issuer, subject, publicKey, signingKey, extensions, notBefore, notAfter } = fields;
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // The leading 1 makes the number positive, whatever the random bytes are.
    serialNumber: toArrayBuffer(Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)])),
    signature: signatureAlgorithm,
    issuer: createName(issuer),
    validity: new X509Validity({ notBefore: toDate(notBefore), notAfter: toDate(notAfter) }),
    subject: createName(subject),
    subjectPublicKeyInfo: AsnConvert.parse(exportSpki(publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const signatureValue = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), signingKey);
  return Buffer.from(
    AsnConvert.serialize(
      new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue: toArrayBuffer(signatureValue) }),
    ),
  );
}

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Creates a root certificate (DER) whose key may only sign for `permitted` names and CIDR ranges. */
export function createAuthorityCertificate(
  name: string,
  { publicKey, privateKey }: KeyPair,
  { permitted, ...validity }: Validity & { readonly permitted: readonly string[] },
): Buffer {
  return createCertificate({
    ...validity,
    issuer: name,
    subject: name,
    publicKey,
    signingKey: privateKey,
    extensions: [
      createExtension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
      createExtension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign)),
      createExtension(
        id_ce_nameConstraints,
        true,
        new NameConstraints({
          permittedSubtrees: new GeneralSubtrees(
            permitted.map((host) => new GeneralSubtree({ base: toGeneralName(host) })),
          ),
        }),
      ),
      createExtension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(computeKeyId(publicKey))),
    ],
  });
}

/** Creates a server certificate (DER) for names and addresses. */
export function createServerCertificate(
  {
    issuer,
    issuerKey,
    publicKey,
  }: { readonly issuer: string; readonly issuerKey: KeyPair; readonly publicKey: KeyObject },
  { hosts, ...validity }: Validity & { readonly hosts: readonly string[] },
): Buffer {
  return createCertificate({
    ...validity,
    issuer,
    // The space is needed: validators check subjects that look like host names against the constraints.
    subject: 'Pegboard server',
    publicKey,
    signingKey: issuerKey.privateKey,
    extensions: [
      createExtension(id_ce_basicConstraints, true, new BasicConstraints()),
      createExtension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
      createExtension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([id_kp_serverAuth])),
      createExtension(id_ce_subjectAltName, false, new SubjectAlternativeName(hosts.map(toGeneralName))),
      createExtension(
        id_ce_authorityKeyIdentifier,
        false,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(computeKeyId(issuerKey.publicKey)) }),
      ),
      createExtension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(computeKeyId(publicKey))),
    ],
  });
}

/** Formats a DER certificate as PEM. */
export function toPem(certificateDer: Uint8Array): string {
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificateDer)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
