/** Causes that are the service's, whichever client meets them. */
export const UNREACHABLE_CAUSES: readonly string[] = [
  'upstream_unreachable',
  'upstream_timeout',
  'service_unavailable',
];

/** Returns the id of the alarm that a service cannot be reached. */
export function toUnreachableId(service: string | null): string {
  return JSON.stringify(['unreachable', service]);
}

/** Why a connection to a service could not be opened, and what a person can check. Both are whole sentences. */
export interface ConnectionFailure {
  readonly cause: string;
  readonly advice: string;
}

const ADDRESS = 'Check the base address, and whether the service is up.';
const NAME = 'Check the base address and your network.';
const NETWORK = 'Check your network.';
const SERVICE = 'Check the base address, your network, and whether the service is up.';
const CERTIFICATE =
  'Check the clock of this machine. Behind a company proxy, add the file with its certificate authority to the service.';
const UNVERIFIED: ConnectionFailure = {
  cause: 'Its TLS certificate could not be verified.',
  advice: CERTIFICATE,
};

const BY_CODE: Readonly<Record<string, ConnectionFailure>> = {
  ECONNREFUSED: { cause: 'Nothing is listening at this address.', advice: ADDRESS },
  ENOTFOUND: { cause: 'Its host name could not be found (DNS).', advice: NAME },
  EAI_AGAIN: { cause: 'The lookup of its name failed temporarily (DNS).', advice: NETWORK },
  ENETUNREACH: { cause: 'There is no route to its network.', advice: NETWORK },
  EHOSTUNREACH: { cause: 'There is no route to its host.', advice: NETWORK },
  CERT_HAS_EXPIRED: { cause: 'Its TLS certificate has expired.', advice: CERTIFICATE },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    cause: 'Its TLS certificate is self-signed and not trusted here.',
    advice: CERTIFICATE,
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    cause: 'Its TLS certificate comes from an authority that is not trusted here.',
    advice: CERTIFICATE,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNVERIFIED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNVERIFIED,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    cause: 'Its TLS certificate belongs to another name.',
    advice: NAME,
  },
};

/** Describes an error that prevented a connection to a service, by its network or TLS code, in the same words everywhere. */
export function describeConnectionFailure(code: string): ConnectionFailure {
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  if (known !== undefined) return known;
  if (/^(?:EPROTO$|ERR_SSL_)/u.test(code)) {
    return {
      cause: `It did not complete the TLS handshake (${code}).`,
      advice: 'Check whether its address begins with http:// instead of https://.',
    };
  }
  if (isTlsCode(code)) {
    return { cause: `Its TLS certificate could not be trusted (${code}).`, advice: CERTIFICATE };
  }
  return { cause: `The connection failed (${code}).`, advice: SERVICE };
}

/** Whether a code of Node means that no TLS connection could be established. */
export function isTlsCode(code: string): boolean {
  return /^(?:CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED|DEPTH_ZERO_|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH)/u.test(
    code,
  );
}
