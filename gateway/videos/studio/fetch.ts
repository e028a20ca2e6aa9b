import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bringsRest, type Content, type FetchTask, Miss, openContent, partOf } from './content.ts';
import { DiskProblem, inFolder } from '../../disk.ts';
import { checkRoom } from './room-left.ts';
import { Part } from './part.ts';
import { BrokenOff, piecesOf } from './pieces.ts';
import { place } from './place.ts';
import { plainText } from './reply.ts';
import type { Fetched } from './studio.ts';
import { HEAD_BYTES, isWholeFilm, kindOf, type VideoKind } from './video-file.ts';

/** So much of what is here is fetched again and compared: the rest of another file is not glued to it, whatever the service says. */
const OVERLAP = 64 * 1024;
const TELL_EVERY_MS = 250;
/** Those that are made of boxes. */
const BOXED = /^video\/(?:mp4|quicktime|x-m4v|3gpp2?)$/u;

/** Fetches a video and gives it its name, or says why there is none. Rejects only with the reason of the signal that stopped it. */
export async function fetchVideo(task: FetchTask): Promise<Fetched> {
  const { plan } = task;
  try {
    await using part = await inFolder(dirname(plan.partFile), async () => {
      return await Part.open(plan.partFile);
    });
    if (!part.isWhole && !(await goOn(part, task))) await begin(part, task);
    return await keep(part, task);
  } catch (error) {
    plan.signal.throwIfAborted();
    if (error instanceof Miss) return error.fetched;
    if (error instanceof DiskProblem) {
      return new Miss('later', `${error.message} What was fetched so far is kept.`).fetched;
    }
    throw error;
  }
}

/** Fetches the rest of what is here. False when it must be begun anew. */
async function goOn(part: Part, task: FetchTask): Promise<boolean> {
  if (part.bytes <= OVERLAP) return false;
  const rest = { from: part.bytes - OVERLAP, of: part.of };
  const content = await openContent(task, rest);
  const { incoming } = content;
  if (incoming.status === 200) {
    await takeAll(part, content, task);
    return true;
  }
  if (incoming.status === 206 && bringsRest(incoming, rest)) {
    return await takeRest(part, content, task);
  }
  content.limit.end();
  incoming.body.discard();
  return false;
}

async function begin(part: Part, task: FetchTask): Promise<void> {
  await takeAll(part, await openContent(task, null), task);
}

/** Nothing is written before it has the looks of a video. */
async function takeAll(part: Part, content: Content, task: FetchTask): Promise<void> {
  const { incoming } = content;
  await take(part, content, {
    task,
    pieces: async function* (pieces) {
      const head = await firstOf(pieces);
      await requireVideo(head, incoming.status, task);
      await part.startOver(partOf(incoming, task.wire));
      await checkRoomFor(part, task);
      yield head;
      yield* pieces;
    },
  });
}

/** False when what comes is not the rest of what is here. */
async function takeRest(part: Part, content: Content, task: FetchTask): Promise<boolean> {
  let fits = true;
  await take(part, content, {
    task,
    pieces: async function* (pieces) {
      await checkRoomFor(part, task);
      const here = await part.read(part.bytes - OVERLAP, OVERLAP);
      const again = await firstOf(pieces, OVERLAP);
      fits = here.equals(again.subarray(0, OVERLAP));
      if (!fits) return;
      yield again.subarray(OVERLAP);
      yield* pieces;
    },
  });
  return fits;
}

type Pieces = AsyncGenerator<Buffer, void, undefined>;

interface Taking {
  readonly task: FetchTask;
  /** Those that are to be written. */
  readonly pieces: (all: Pieces) => AsyncGenerator<Buffer>;
}

async function take(part: Part, { incoming, limit }: Content, taking: Taking): Promise<void> {
  const { plan, ground } = taking.task;
  await using pieces = renewing(piecesOf(incoming.body), () => {
    limit.renew(ground.limits.fetchIdleMs);
  });
  let toldAt = Number.NEGATIVE_INFINITY;
  try {
    await inFolder(dirname(plan.partFile), async () => {
      for await (const piece of taking.pieces(pieces)) {
        await part.write(piece);
        if (performance.now() - toldAt < TELL_EVERY_MS) continue;
        toldAt = performance.now();
        plan.onProgress(part.bytes, part.of.total);
      }
    });
  } catch (error) {
    await secureWhatCame(part);
    throw error instanceof BrokenOff ? brokenOff(part) : error;
  } finally {
    limit.end();
  }
}

async function* renewing(pieces: Pieces, renew: () => void): Pieces {
  for await (const piece of pieces) {
    renew();
    yield piece;
  }
}

/** So many bytes in one piece, or all when there are fewer. */
async function firstOf(pieces: Pieces, least: number = HEAD_BYTES): Promise<Buffer> {
  const come: Buffer[] = [];
  let bytes = 0;
  while (bytes < least) {
    const next = await pieces.next();
    if (next.done === true) break;
    come.push(next.value);
    bytes += next.value.length;
  }
  return Buffer.concat(come);
}

async function requireVideo(head: Buffer, status: number, { wire }: FetchTask): Promise<VideoKind> {
  const kind = await kindOf(head);
  if (typeof kind !== 'string') return kind;
  const sentence = `The service sent ${kind} instead of a video, so nothing was saved.`;
  throw new Miss('no-video', sentence, { status, text: plainText(head, wire) });
}

async function checkRoomFor(part: Part, { plan, ground }: FetchTask): Promise<void> {
  const more = Math.max(0, (part.of.total ?? 0) - part.bytes);
  await checkRoom(dirname(plan.partFile), more, ground.limits.spareBytes);
}

/** A disk that cannot do it has told so already, or is about to. */
async function secureWhatCame(part: Part): Promise<void> {
  await part.secure().catch(() => undefined);
}

function brokenOff({ bytes, of }: Part): Miss {
  const so = `${bytes.toLocaleString('en')} bytes`;
  const all = of.total === null ? '' : ` of ${of.total.toLocaleString('en')}`;
  return new Miss('later', `The download broke off after ${so}${all}; the next try goes on there.`);
}

/** Checks that all of it is here and gives it its name. */
async function keep(part: Part, task: FetchTask): Promise<Fetched> {
  const { plan, ground } = task;
  const { bytes } = part;
  const { total } = part.of;
  if (total !== null && bytes < total) throw brokenOff(part);
  const kind = await requireVideo(await part.read(0, HEAD_BYTES), 200, task);
  const whole = !BOXED.test(kind.type) || (await isWholeFilm(part.file, bytes, total !== null));
  if (!whole || (total !== null && bytes > total)) {
    await part.remove();
    throw damaged(total !== null);
  }
  await inFolder(dirname(plan.partFile), async () => {
    await part.seal();
    await stat(plan.partFile);
  });
  const sha256 = part.sha256();
  const path = await place(
    { path: plan.partFile, bytes, sha256 },
    {
      folder: plan.folder,
      name: plan.name,
      ending: kind.ending,
      spareBytes: ground.limits.spareBytes,
    },
  );
  await part.remove();
  plan.onProgress(bytes, bytes);
  return { kind: 'saved', path, type: kind.type, bytes, sha256 };
}

function damaged(isMeasured: boolean): Miss {
  return isMeasured
    ? new Miss('no-video', 'The file that the service sent is damaged: its end is missing.')
    : new Miss('later', 'The download ended before the video did; it is fetched anew.');
}
