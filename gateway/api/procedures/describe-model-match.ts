import type { ModelResolution } from '../../../shared/model.ts';
import type { ModelMatch } from '../../models/models.ts';

interface ResolutionContext {
  /** Whether there is a model list. */
  readonly known: boolean;
  /** Whether repairs are enabled. */
  readonly repairs: boolean;
}

/** Describes for people which model a typed name refers to. */
export function describeModelMatch(
  name: string,
  match: ModelMatch,
  context: ResolutionContext,
): ModelResolution {
  switch (match.kind) {
    case 'exact':
      return {
        kind: 'exact',
        id: name,
        suggestions: [],
        sentence: 'This is the exact id of a model that your key may use.',
      };
    case 'one':
      return {
        kind: 'one',
        id: match.id,
        suggestions: [match.id],
        sentence: `${formatDifference(name.trim(), match.id)} ${formatAdvice(match.id, context.repairs)}`,
      };
    case 'none':
      return {
        kind: 'none',
        id: null,
        suggestions: [...match.suggestions],
        sentence: context.known ? formatNoMatch(match.suggestions) : NO_LIST,
      };
  }
}

const NO_LIST = 'The models of the service are not known yet, so this name cannot be looked up.';

/** Describes how a name differs from an id, because the service accepts only exact ids (spec section 2.1). */
function formatDifference(name: string, id: string): string {
  if (name === id) return 'The id has spaces around it.';
  const prefix = id.slice(0, id.length - name.length);
  if (prefix.endsWith('/') && id.endsWith(name)) return `The prefix ${prefix} is missing.`;
  const [short, long] = [name.toLowerCase(), id.toLowerCase()];
  if (short === long) return 'Only the letter case is different: ids must match exactly.';
  if (long.endsWith(`/${short}`)) {
    return `The prefix ${prefix} is missing, and the letter case is different.`;
  }
  return 'This is a display name or another spelling, not the id.';
}

function formatAdvice(id: string, repairs: boolean): string {
  return repairs
    ? `Gatehouse sends the exact id instead; enter ${id} in the client.`
    : `Enter ${id} in the client: repairs are off, so the name is sent unchanged.`;
}

function formatNoMatch(suggestions: readonly string[]): string {
  const why =
    'No model in the list has this name: the key has no permission for it, it is offline, or the name is misspelled.';
  return suggestions.length === 0
    ? `${why} Choose one from the list.`
    : `${why} ${suggestions.length === 1 ? 'A similar one' : 'Similar ones'}: ${suggestions.join(', ')}.`;
}
