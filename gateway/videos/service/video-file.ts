import type { FileHandle } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';

/** As much of a file as its type is told by. */
export const HEAD_BYTES = 4100;

/** What kind of video a file is. */
export interface VideoKind {
  /** Media type. */
  readonly type: string;
  /** Its usual ending, without the dot. */
  readonly ending: string;
}

/** The kind of video that begins with these bytes, whatever anybody calls it; or what it is instead, in words. */
export async function detectKind(head: Uint8Array): Promise<VideoKind | string> {
  const found = await fileTypeFromBuffer(head);
  if (found?.mime.startsWith('video/') === true) return { type: found.mime, ending: found.ext };
  if (head.length === 0) return 'nothing at all';
  const text = new TextDecoder().decode(head).trimStart();
  if (/^(?:<!doctype html|<html)/iu.test(text)) return 'a web page';
  if (text.startsWith('<')) return 'an XML document';
  if (text.startsWith('{') || text.startsWith('[')) return 'a JSON document';
  return found === undefined ? 'something that is no video' : `a file of type ${found.mime}`;
}

/**
 * Whether an MP4 or QuickTime file is all there: its boxes (ISO/IEC 14496-12, section 4.2) end where the file ends and one of them
 * describes the film. `isMeasured`: the service said how long the file is, so that a rest that is no box was there from the start.
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

/** Length of the box that begins so; `null` when none does. */
function readBoxLength(head: Buffer, rest: number): number | null {
  if (head.length < 8 || !/^[\w ©.-]{4}$/u.test(head.toString('latin1', 4, 8))) return null;
  const short = head.readUInt32BE(0);
  if (short === 0) return rest;
  if (short !== 1) return short < 8 ? null : short;
  if (head.length < 16) return null;
  const long = Number(head.readBigUInt64BE(8));
  return long < 16 ? null : long;
}
