import { ORPCError } from '@orpc/client';
import { z } from 'zod';
import { ON_DESKTOP } from '../api/desktop.ts';

const Issues = z.object({
  issues: z.array(z.object({ message: z.string(), path: z.array(z.unknown()).optional() })).min(1),
});
const Refused = z.object({ field: z.string().nullable() });

/** Returns the message of a failed call, for people. */
export function toMessage(error: unknown): string {
  if (!(error instanceof ORPCError)) {
    return ON_DESKTOP
      ? 'Gatehouse did not answer. This page reconnects automatically.'
      : 'Gatehouse did not answer. If it is not running, start it; this page reconnects automatically.';
  }
  const issues = Issues.safeParse(error.data);
  return issues.data?.issues[0]?.message ?? error.message;
}

/** Returns the form field that caused a refusal; `null` when none did. */
export function errorField(error: unknown): string | null {
  if (!(error instanceof ORPCError)) return null;
  const refused = Refused.safeParse(error.data);
  if (refused.success) return refused.data.field;
  const path = Issues.safeParse(error.data).data?.issues[0]?.path;
  const last = path?.at(-1);
  return typeof last === 'string' ? last : null;
}
