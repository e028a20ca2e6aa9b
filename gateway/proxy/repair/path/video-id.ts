import { parseJson } from '../../../lib/parse-json.ts';
import { scanMembers } from '../body/json-members.ts';
import { startsWithBom } from '../body/json-scan.ts';

/** Puts the task's identifier where official SDKs look for it; every other byte stays. `null` when there is an `id`, or no object to put it in. */
export function addVideoId(body: Buffer, taskId: string): Buffer | null {
  if (!isObject(body)) return null;
  const members = scanMembers(body);
  if (members.some(({ key }) => key === 'id')) return null;
  const open = body.indexOf('{') + 1;
  const member = `"id":${JSON.stringify(taskId)}${members.length === 0 ? '' : ','}`;
  return Buffer.concat([body.subarray(0, open), Buffer.from(member), body.subarray(open)]);
}

function isObject(body: Buffer): boolean {
  try {
    const value: unknown = parseJson(body.toString('utf8', startsWithBom(body) ? 3 : 0));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    // No JSON: the client gets it as it came.
    return false;
  }
}
