import type { UpstreamForm } from '../../shared/upstream.ts';
import { isOwnAddress } from '../lib/loopback.ts';
import { UserError } from '../errors.ts';
import { parseBaseUrl, InvalidBaseUrlError } from './base-url.ts';
import { readCaFile } from './ca-file.ts';

const OWN_ADDRESS_MESSAGE =
  'This address is Gatehouse itself. Enter the address of the service, or use the sandbox.';

/** Parses a person's description of an upstream: its address like `parseBaseUrl`, its proxy as an origin, and a name in any case. @throws UserError */
export async function parseForm(
  form: UpstreamForm,
  ownPorts: ReadonlySet<number>,
): Promise<UpstreamForm> {
  const baseUrl = parseAddress(form.baseUrl, ownPorts);
  const proxyUrl = form.proxyUrl === null ? null : parseProxyUrl(form.proxyUrl, ownPorts);
  if (form.caFile !== null) await readCaFile(form.caFile);
  return { ...form, name: form.name || new URL(baseUrl).host, baseUrl, proxyUrl };
}

function parseAddress(text: string, ownPorts: ReadonlySet<number>): string {
  try {
    const { url } = parseBaseUrl(text);
    if (isOwnAddress(new URL(url), ownPorts)) throw new UserError(OWN_ADDRESS_MESSAGE, 'baseUrl');
    return url;
  } catch (error) {
    if (!(error instanceof InvalidBaseUrlError)) throw error;
    throw new UserError(error.message, 'baseUrl', { cause: error });
  }
}

function parseProxyUrl(text: string, ownPorts: ReadonlySet<number>): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    throw proxyUrlError(
      'This is not the address of an HTTP proxy. Example: http://proxy.example.com:8080',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw proxyUrlError(
      'Remove the user name and password: Gatehouse stores none for a proxy. Use a proxy that requires none, such as a local relay.',
    );
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw proxyUrlError(
      'The address of a proxy must end after its port: http://proxy.example.com:8080.',
    );
  }
  if (isOwnAddress(url, ownPorts))
    throw proxyUrlError('This address is Gatehouse itself, not a proxy.');
  return url.origin;
}

function proxyUrlError(message: string): UserError {
  return new UserError(message, 'proxyUrl');
}
