import { pluralize } from '../format.ts';
import type { RunawayCause } from './runaway.ts';

/** Returns the cause as the end of a sentence: `called Bash with the same arguments 12 times in a row`. */
export function describeRunaway(cause: RunawayCause): string {
  switch (cause.kind) {
    case 'repeats':
      return `called ${cause.tools} with the same arguments ${pluralize(cause.times, 'time')} in a row`;
    case 'agents':
      return `started ${pluralize(cause.agents, 'sub-agent')} without a message of a person`;
    case 'requests':
      return `sent ${pluralize(cause.requests, 'request')} in ${pluralize(cause.minutes, 'minute')} without a message of a person`;
  }
}
