import { ORPCError } from '@orpc/client';
import { ON_DESKTOP } from '../api/desktop.ts';
import { readMember } from '../api/read-member.ts';

/** Data of a refusal of the schemas of the contract. */
interface Issue {
  readonly message: string;
  readonly path: readonly unknown[];
}

/** Returns the message of a failed call, for people. */
export function toMessage(error: unknown): string {
  if (!(error instanceof ORPCError)) {
    return ON_DESKTOP
      ? 'Gatehouse did not answer. This page reconnects automatically.'
      : 'Gatehouse did not answer. If it is not running, start it; this page reconnects automatically.';
  }
  return findIssue(error.data)?.message ?? error.message;
}

/** Whether a call failed because what it asked for does not exist. */
export function isNotFoundError(error: unknown): boolean {
  return error instanceof ORPCError && error.code === 'NOT_FOUND';
}

/** Returns the form field that caused a refusal; `null` when none did. */
export function errorField(error: unknown): string | null {
  if (!(error instanceof ORPCError)) return null;
  const field = readMember(error.data, 'field') ?? findIssue(error.data)?.path.at(-1);
  return typeof field === 'string' ? field : null;
}

/** Finds the first reason why a schema of the contract refused the input. */
function findIssue(data: unknown): Issue | null {
  const issues = readMember(data, 'issues');
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const message = readMember(first, 'message');
  const path = readMember(first, 'path');
  if (typeof message !== 'string') return null;
  return { message, path: Array.isArray(path) ? path : [] };
}
