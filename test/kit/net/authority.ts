import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate authority that nobody trusts, with one certificate for `localhost`. */
export interface Authority extends AsyncDisposable {
  /** The PEM file of the authority's own certificate. */
  readonly caFile: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

const run = promisify(execFile);

export async function createAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-ca-'));
  const openssl = async (...args: readonly string[]) => {
    await run('openssl', args, { cwd: folder });
  };
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...fresh,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Test',
  );
  await openssl('req', ...fresh, '-keyout', 'key.pem', '-out', 'req.pem', '-subj', '/CN=localhost');
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  await openssl(
    'x509',
    '-req',
    '-in',
    'req.pem',
    ...authority,
    '-extfile',
    'names',
    '-out',
    'cert.pem',
  );
  return {
    caFile: join(folder, 'ca.pem'),
    key: await readFile(join(folder, 'key.pem')),
    cert: await readFile(join(folder, 'cert.pem')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
