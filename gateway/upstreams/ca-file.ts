import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { UserError } from '../errors.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** Maximum size in bytes; the list that browsers trust has a fifth of it. */
const MAX_BYTES = 1024 * 1024;

/** Reads the certificates (PEM) in a file. @throws UserError with the field `caFile`. */
export async function readCaFile(path: string): Promise<readonly string[]> {
  if (!isAbsolute(path)) {
    throw caFileError('Enter the full path of the file, from the root of the disk.');
  }
  const found = (await readBounded(path)).match(CERTIFICATE) ?? [];
  if (found.length === 0) {
    throw caFileError(
      'This file contains no certificate in PEM format: no line "-----BEGIN CERTIFICATE-----".',
    );
  }
  if (!found.every(isCertificate)) throw caFileError('A certificate in this file is damaged.');
  return found;
}

async function readBounded(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_BYTES) return await readFile(path, 'utf8');
  } catch (error) {
    throw caFileError(formatUnreadable(error));
  }
  throw caFileError('This file is larger than 1 MiB, too large for certificates.');
}

function formatUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'There is no file at this path.';
  if (code === 'EISDIR') return 'This is a folder, not a file.';
  if (code === 'EACCES' || code === 'EPERM') return 'You may not read this file.';
  return `This file cannot be read (${String(code)}).`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== '';
  } catch {
    // The parser's own message would not help a person.
    return false;
  }
}

function caFileError(message: string): UserError {
  return new UserError(message, 'caFile');
}
