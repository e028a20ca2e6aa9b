import type { Finding } from '../../shared/doctor/finding.ts';
import { formatDuration, pluralize } from '../../shared/format.ts';
import type { KeyState } from '../../shared/upstream.ts';
import { keyAdvice, type KeyTestResult } from '../keys/keys.ts';
import type { SystemProxy } from '../platform.ts';
import { fail, ok, type Remedy, warn } from './finding.ts';

/** Clocks that differ by more than this break certificates and rate limits. */
const CLOCK_TOLERANCE_MS = 2 * 60_000;

/** The answer of a service to a request for its models, which costs nothing. */
export interface ServiceAnswer {
  readonly verdict: KeyTestResult;
  /** The length of its list; `null` when the answer contains none. */
  readonly models: number | null;
  /** The service's clock, Unix time in milliseconds; `null` when the answer does not tell. */
  readonly date: number | null;
  readonly durationMs: number;
}

/** The way to the services and their keys. */
export const TO_SERVICES: Remedy = { action: { kind: 'services' } };

/** Returns the finding for a service key that cannot be used. `command`: see `keyAdvice`. */
export function describeUnusableKey({ name, sentence }: KeyState, command: string | null): Finding {
  return fail('key', sentence, keyAdvice(name, command), TO_SERVICES);
}

/** Describes a key in a file of plain text. `hasKeychain`: whether a keychain is known to be there, which is the better place. */
export function describeKeyFile(hasKeychain: boolean, command: string | null): Finding {
  return hasKeychain
    ? warn(
        'key',
        'The key is in a private file as plain text, and this system has a keychain.',
        'Move it there',
        { ...TO_SERVICES, command: command === null ? null : `${command} key set` },
      )
    : ok('key', 'The key is in a private file as plain text; no keychain is known here.');
}

/** Describes the answer of the service with this base address. `now`: Unix time in milliseconds. */
export function describeAnswer(
  baseUrl: string,
  { verdict, models, date, durationMs }: ServiceAnswer,
  now: number,
): readonly Finding[] {
  if (!verdict.accepted) {
    return [fail('service', `${baseUrl}: ${verdict.sentence}`, verdict.advice, TO_SERVICES)];
  }
  const drift = date === null ? 0 : Math.abs(now - date);
  const clock =
    drift > CLOCK_TOLERANCE_MS
      ? warn(
          'clock',
          `The clock of this machine and that of the service differ by ${formatDuration(drift)}.`,
          "Set this machine's clock.",
        )
      : ok('clock', 'The clock agrees with that of the service.');
  return [
    ok('service', `${baseUrl} accepted the key.`),
    ok('latency', `It answered in ${formatDuration(durationMs)}, with a new connection.`),
    ok('models', `The service lists ${pluralize(models ?? 0, 'model')}.`),
    clock,
  ];
}

/** Describes the way to the service: its proxy, if there is one. `own`: whether the service itself names a proxy. */
export function describeProxy({ proxyUrl, reason }: SystemProxy, own: boolean): Finding {
  if (own) return ok('proxy', 'The service is called through the proxy of its settings.');
  if (reason !== null) {
    const advice = 'A proxy can be entered with the service.';
    return warn('proxy', `The service is called directly. ${reason}`, advice, TO_SERVICES);
  }
  return proxyUrl === null
    ? ok('proxy', 'The service is called directly, without a proxy.')
    : ok('proxy', 'The service is called through the proxy of the system.');
}
