import type { FileHandle } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';

/** Number of bytes by which the type of a file is detected. */
export const HEAD_BYTES = 4100;

/** The type of a video file. */
export interface VideoKind {
  /** The media type. */
  readonly type: string;
  /** The usual extension, without the dot. */
  readonly ending: string;
}

/** Detects the type of a video by its first bytes; or describes the other type that they have. */
export async function detectKind(head: Uint8Array): Promise<VideoKind | string> {
  const found = await fileTypeFromBuffer(head);
  if (found?.mime.startsWith('video/') === true) return { type: found.mime, ending: found.ext };
  if (head.length === 0) return 'nothing at all';
  const text = new TextDecoder().decode(head).trimStart();
  if (/^(?:<!doctype html|<html)/iu.test(text)) return 'a web page';
  if (text.startsWith('<')) return 'an XML document';
  if (text.startsWith('{') || text.startsWith('[')) return 'a JSON document';
  return found === undefined ? 'a file that is not a video' : `a file of type ${found.mime}`;
}

/**
 * Whether an MP4 or QuickTime file is complete: its boxes (ISO/IEC 14496-12, section 4.2) end where the file ends, and one of them
 * describes the movie. `isMeasured`: the service named the length, so that trailing bytes that are no box belong to the file.
 */
export async function isCompleteVideo(
  file: FileHandle,
  size: number,
  isMeasured: boolean,
): Promise<boolean> {
  const head = Buffer.alloc(16);
  let described = false;
  let at = 0;
  while (at < size) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    const length = readBoxLength(head.subarray(0, bytesRead), size - at);
    if (length === null) return described && isMeasured;
    if (length > size - at) return false;
    described ||= head.toString('latin1', 4, 8) === 'moov';
    at += length;
  }
  return described;
}

/** Reads the length of the box that begins here; `null` when there is none. */
function readBoxLength(head: Buffer, rest: number): number | null {
  if (head.length < 8 || !/^[\w ©.-]{4}$/u.test(head.toString('latin1', 4, 8))) return null;
  const short = head.readUInt32BE(0);
  if (short === 0) return rest;
  if (short !== 1) return short < 8 ? null : short;
  if (head.length < 16) return null;
  const long = Number(head.readBigUInt64BE(8));
  return long < 16 ? null : long;
}
