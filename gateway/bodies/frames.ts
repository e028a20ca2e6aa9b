import type { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Compressed bytes that refer to those of another frame, and how many lie between it and one that refers to none. */
interface FrameRow {
  readonly base: number | null;
  readonly depth: number;
  readonly plain: number;
  readonly content: Uint8Array;
}

/** The run of a frame, and the kind of its requests: those of one program that begin alike, also in other runs. */
export interface FramePlace {
  readonly run: string;
  readonly kind: string;
}

/** The latest frame of a run or kind, which the next one refers to. */
interface LatestFrame {
  readonly id: number;
  readonly depth: number;
}

/** Frames that are read at most to decompress one. */
const MAX_DEPTH = 16;
/** Runs and kinds whose latest frame is remembered. */
const MAX_LATEST = 64;
/** Bytes of frames that stay in memory. */
const MAX_RECENT_BYTES = 16 * 2 ** 20;
const LEVEL = 3;
/** Powers of two. A window has to cover a frame and the one that it refers to. */
const MIN_WINDOW = 17;
const MAX_WINDOW = 24;
/** Bytes of the block that a frame is decompressed into. zlib takes no smaller one. */
const MIN_CHUNK = 64;
const MAX_CHUNK = 4 * 2 ** 20;

/**
 * Compressed frames in the database. A request of an agent repeats most of the one before, so a frame is compressed with the
 * previous one of its run as the dictionary, and the first of a run with the latest one of its kind (decision 33).
 */
export class Frames {
  readonly #database: DatabaseSync;
  readonly #latest = new Map<string, LatestFrame>();
  /** The bytes of the frames that were written or read last, the oldest first: runs take turns, and the next frame of each refers to one. */
  readonly #recent = new Map<number, Buffer>();
  #recentBytes = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Stores bytes as the next frame of a run. Returns its id. Must be called in a transaction. */
  add({ run, kind }: FramePlace, plain: Buffer): number {
    const before = this.#latest.get(run) ?? this.#latest.get(kind);
    const near = before !== undefined && before.depth + 1 < MAX_DEPTH ? before : null;
    const dictionary = near === null ? null : this.#tryDecode(near.id);
    const base = dictionary === null ? null : near;
    const depth = base === null ? 0 : base.depth + 1;
    const content = compress(plain, dictionary);
    const { lastInsertRowid } = this.#database
      .prepare('insert into frame (base, depth, plain, content) values (?, ?, ?, ?)')
      .run(base?.id ?? null, depth, plain.length, content);
    const id = Number(lastInsertRowid);
    this.#remember([kind, run], { id, depth });
    this.#keepRecent(id, plain);
    return id;
  }

  /** Returns the bytes of a frame. @throws when it is not there, or damaged. */
  read(id: number): Buffer {
    const plain = this.#decode(id);
    this.#keepRecent(id, plain);
    return plain;
  }

  /** Decompresses a frame. Those that it refers to are remembered, too: who reads a run backwards wants them next. */
  #decode(id: number): Buffer {
    const chain: (readonly [id: number, row: FrameRow])[] = [];
    let plain: Buffer | null = null;
    for (let next: number | null = id; next !== null;) {
      plain = this.#recent.get(next) ?? null;
      if (plain !== null) break;
      const row = this.#find(next);
      chain.push([next, row]);
      next = row.base;
    }
    for (const [frame, row] of chain.toReversed()) {
      plain = decompress(row, plain);
      this.#keepRecent(frame, plain);
    }
    if (plain === null) throw new Error(`There is no frame ${id}.`);
    return plain;
  }

  /** Returns the bytes of a frame; `null` when they are damaged. @throws SQLite's error */
  #tryDecode(id: number): Buffer | null {
    try {
      return this.#decode(id);
    } catch (error) {
      if (Object(error).errcode !== undefined) throw error;
      return null;
    }
  }

  /**
   * Deletes frames. One that refers to a deleted frame is compressed anew without it, unless it is damaged. Must be called in a
   * transaction.
   */
  delete(ids: ReadonlySet<number>): void {
    const findDependents = this.#database.prepare('select id from frame where base = ?');
    const replace = this.#database.prepare(
      'update frame set base = null, depth = 0, content = coalesce(?, content) where id = ?',
    );
    const remove = this.#database.prepare('delete from frame where id = ?');
    for (const id of ids) {
      for (const row of findDependents.all(id)) {
        const dependent = Number(row['id']);
        if (ids.has(dependent)) continue;
        const plain = this.#tryDecode(dependent);
        replace.run(plain === null ? null : compress(plain, null), dependent);
      }
    }
    // The newest first: a frame has a greater id than the one it refers to.
    for (const id of [...ids].toSorted((a, b) => b - a)) remove.run(id);
    for (const [run, { id }] of this.#latest) if (ids.has(id)) this.#latest.delete(run);
    for (const id of ids) this.#forgetFrame(id);
  }

  /** Begins every run anew, after a transaction was rolled back. */
  forget(): void {
    this.#latest.clear();
    this.#recent.clear();
    this.#recentBytes = 0;
  }

  #find(id: number): FrameRow {
    const row = this.#database
      .prepare('select base, depth, plain, content from frame where id = ?')
      .get(id);
    if (row === undefined) throw new Error(`There is no frame ${id}.`);
    const { base, depth, plain, content } = row;
    if (!(content instanceof Uint8Array)) throw new Error(`Frame ${id} has no content.`);
    return {
      base: base === null ? null : Number(base),
      depth: Number(depth),
      plain: Number(plain),
      content,
    };
  }

  /** Keeps the bytes of a frame as the most recent ones, and forgets the oldest while there are too many. */
  #keepRecent(id: number, plain: Buffer): void {
    this.#forgetFrame(id);
    this.#recent.set(id, plain);
    this.#recentBytes += toHeldBytes(plain);
    for (const oldest of this.#recent.keys()) {
      if (this.#recentBytes <= MAX_RECENT_BYTES || oldest === id) break;
      this.#forgetFrame(oldest);
    }
  }

  #forgetFrame(id: number): void {
    const plain = this.#recent.get(id);
    if (plain !== undefined) this.#recentBytes -= toHeldBytes(plain);
    this.#recent.delete(id);
  }

  #remember(keys: readonly string[], frame: LatestFrame): void {
    for (const key of keys) {
      this.#latest.delete(key);
      this.#latest.set(key, frame);
    }
    for (const oldest of this.#latest.keys()) {
      if (this.#latest.size <= MAX_LATEST) break;
      this.#latest.delete(oldest);
    }
  }
}

/** Returns the bytes that a buffer keeps in memory: a short one is a part of a larger block. */
function toHeldBytes({ buffer }: Buffer): number {
  return buffer.byteLength;
}

function compress(plain: Buffer, dictionary: Buffer | null): Buffer {
  const covered = plain.length + (dictionary?.length ?? 0);
  const window = Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, Math.ceil(Math.log2(covered + 1))));
  return zstdCompressSync(plain, {
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_windowLog]: window,
    },
    ...(dictionary === null || dictionary.length === 0 ? {} : { dictionary }),
  });
}

function decompress({ content, plain: length }: FrameRow, dictionary: Buffer | null): Buffer {
  return zstdDecompressSync(content, {
    maxOutputLength: Math.max(1, length),
    // All at once: otherwise each short frame would take and keep a block of 64 KiB.
    chunkSize: Math.max(MIN_CHUNK, Math.min(MAX_CHUNK, length)),
    ...(dictionary === null || dictionary.length === 0 ? {} : { dictionary }),
  });
}
