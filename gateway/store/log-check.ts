import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from '../lib/disk.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Only the page number and the size in a frame's header are part of the checksum. */
const SUMMED_BYTES = 8;
/** Magic number; its last bit says that the checksums read big-endian words. */
const MAGIC = 0x37_7f_06_82;
const LOG_VERSION = 3_007_000;

/**
 * Finds damage in the write-ahead log of a database that no process has open, without changing it: SQLite reads a log up to
 * the first wrong checksum and silently drops the rest. Frames of a transaction that a killed process did not commit are not
 * damage. Returns a description for people, or `null` when nothing is wrong. Rejects with the system's error. Source:
 * https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
export async function findLogDamage(file: string): Promise<string | null> {
  const log = await openLog(`${file}-wal`);
  if (log === null) return null;
  await using handle = log;
  const found = await handle.stat();
  // SQLite itself reports anything else in the place of the log.
  if (!found.isFile()) return null;
  const { size } = found;
  const header = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
  if (bytesRead < HEADER_BYTES) return null;
  const reader = readHeader(header);
  const pageSize = header.readUInt32BE(8);
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  if (reader === null) {
    return size > HEADER_BYTES + FRAME_HEADER_BYTES ? 'its log has a damaged header' : null;
  }
  const frame = Buffer.alloc(frameBytes);
  let wrongAt: number | null = null;
  for (let at = HEADER_BYTES; at + frameBytes <= size; at += frameBytes) {
    await handle.read(frame, 0, frameBytes, at);
    const current = frame.subarray(8, 16).equals(header.subarray(16, 24));
    // Only a later commit shows that a wrong frame had been complete: frames of an open transaction may be overwritten.
    const isCommit = frame.readUInt32BE(4) !== 0;
    if (wrongAt !== null && current && isCommit) return `its log is damaged at byte ${wrongAt}`;
    if (wrongAt === null && !(current && reader.accepts(frame))) wrongAt = at;
  }
  return null;
}

async function openLog(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

interface FrameReader {
  /** Returns whether the next frame has the right checksum. */
  accepts(frame: Buffer): boolean;
}

/** Returns `null` for an invalid header. */
function readHeader(header: Buffer): FrameReader | null {
  const magic = header.readUInt32BE(0);
  const pageSize = header.readUInt32BE(8);
  const isPageSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  if (magic >>> 1 !== MAGIC >>> 1 || header.readUInt32BE(4) !== LOG_VERSION || !isPageSize) {
    return null;
  }
  const sum = new Checksum((magic & 1) === 1);
  sum.add(header.subarray(0, 24));
  if (!sum.equals(header, 24)) return null;
  return {
    accepts: (frame) => {
      sum.add(frame.subarray(0, SUMMED_BYTES));
      sum.add(frame.subarray(FRAME_HEADER_BYTES));
      return sum.equals(frame, 16);
    },
  };
}

/** The running checksum of a log. */
class Checksum {
  readonly #bigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(bigEndian: boolean) {
    this.#bigEndian = bigEndian;
  }

  /** Adds bytes, whose number must be a multiple of eight. */
  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 8) {
      this.#first = (this.#first + this.#word(bytes, at) + this.#second) >>> 0;
      this.#second = (this.#second + this.#word(bytes, at + 4) + this.#first) >>> 0;
    }
  }

  /** Returns whether the checksum is stored at this position, where it is always big-endian. */
  equals(bytes: Buffer, at: number): boolean {
    return this.#first === bytes.readUInt32BE(at) && this.#second === bytes.readUInt32BE(at + 4);
  }

  #word(bytes: Buffer, at: number): number {
    return this.#bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
  }
}
