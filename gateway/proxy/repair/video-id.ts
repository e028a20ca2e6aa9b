import { parseJson } from '../../parse-json.ts';
import { membersOf, startsWithMark } from './members.ts';

/** Puts the task's identifier where official SDKs look for it; every other byte stays. `null` when there is an `id`, or no object to put it in. */
export function addId(body: Buffer, taskId: string): Buffer | null {
  if (!isObject(body)) return null;
  const members = membersOf(body);
  if (members.some(({ key }) => key === 'id')) return null;
  const open = body.indexOf('{') + 1;
  const member = `"id":${JSON.stringify(taskId)}${members.length === 0 ? '' : ','}`;
  return Buffer.concat([body.subarray(0, open), Buffer.from(member), body.subarray(open)]);
}

function isObject(body: Buffer): boolean {
  try {
    const value: unknown = parseJson(body.toString('utf8', startsWithMark(body) ? 3 : 0));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    // No JSON: the client gets it as it came.
    return false;
  }
}
