import type { UpstreamForm } from '../../shared/upstream.ts';
import { leadsHome } from '../loopback.ts';
import { Refused } from '../refused.ts';
import { readBaseUrl, UnusableBaseUrl } from './base-url.ts';
import { readCaFile } from './ca-file.ts';

const LEADS_HOME =
  'This address is Gatehouse itself. Give the address of the service, or use the sandbox.';

/** What a person said about an upstream, read and checked: the address as `readBaseUrl` gives it, the proxy as an origin, never without a name. @throws Refused */
export async function readForm(
  form: UpstreamForm,
  ownPorts: ReadonlySet<number>,
): Promise<UpstreamForm> {
  const baseUrl = readAddress(form.baseUrl, ownPorts);
  const proxyUrl = form.proxyUrl === null ? null : readProxy(form.proxyUrl, ownPorts);
  if (form.caFile !== null) await readCaFile(form.caFile);
  return { ...form, name: form.name || new URL(baseUrl).host, baseUrl, proxyUrl };
}

function readAddress(text: string, ownPorts: ReadonlySet<number>): string {
  try {
    const { url } = readBaseUrl(text);
    if (leadsHome(new URL(url), ownPorts)) throw new Refused(LEADS_HOME, 'baseUrl');
    return url;
  } catch (error) {
    if (!(error instanceof UnusableBaseUrl)) throw error;
    throw new Refused(error.message, 'baseUrl', { cause: error });
  }
}

function readProxy(text: string, ownPorts: ReadonlySet<number>): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    throw refused(
      'This is no address of an HTTP proxy. It looks like http://proxy.example.com:8080.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(
      'Leave out the user name and password: Gatehouse keeps none for a proxy. Use one that asks for none, such as a local relay.',
    );
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw refused('The address of a proxy ends after its port: http://proxy.example.com:8080.');
  }
  if (leadsHome(url, ownPorts)) throw refused('This address is Gatehouse itself, not a proxy.');
  return url.origin;
}

function refused(message: string): Refused {
  return new Refused(message, 'proxyUrl');
}
