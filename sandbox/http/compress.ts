import {
  type BrotliCompress,
  createBrotliCompress,
  createDeflate,
  createGzip,
  createZstdCompress,
  type Deflate,
  type Gzip,
  type ZstdCompress,
} from 'node:zlib';

/** Creates a compressor for the first supported encoding in an `Accept-Encoding` header that is not excluded by `q=0`. */
export function createCompressor(accepted: string): NamedCompressor | undefined {
  for (const entry of accepted.split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const stream = parameters.some((part) => /^q=0(\.0*)?$/.test(part))
      ? undefined
      : createStream(name);
    if (stream) return { name, stream };
  }
  return undefined;
}

interface NamedCompressor {
  readonly name: string;
  readonly stream: Compressor;
}

export type Compressor = Gzip | Deflate | BrotliCompress | ZstdCompress;

function createStream(name: string): Compressor | undefined {
  switch (name) {
    case 'gzip':
      return createGzip();
    case 'deflate':
      return createDeflate();
    case 'br':
      return createBrotliCompress();
    case 'zstd':
      return createZstdCompress();
    default:
      return undefined;
  }
}
