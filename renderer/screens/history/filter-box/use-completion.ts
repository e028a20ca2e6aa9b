import { useMemo, useState } from 'react';
import { completeFilter, type Completion } from '../../../../shared/filter-language/complete.ts';
import type { ServiceName } from '../../../../shared/history/history.ts';

/** The names that occur in the history. */
export interface HistoryNames {
  readonly clients: readonly string[];
  readonly models: readonly string[];
  readonly services: readonly ServiceName[];
  readonly tools: readonly string[];
  readonly tags: readonly string[];
}

/** What can be put into the text at the caret. */
export interface CompletionState {
  /** Empty while the list is closed. */
  readonly completions: readonly Completion[];
  /** The place of the marked one; -1 for none. */
  readonly marked: number;
  readonly open: () => void;
  readonly close: () => void;
  /** Marks the next or the previous one; after the last comes none, then the first. */
  readonly move: (step: 1 | -1) => void;
  /** Returns the text with a completion in it, and the caret after it. */
  readonly put: (completion: Completion) => { readonly text: string; readonly caret: number };
}

const NO_COMPLETIONS: readonly Completion[] = [];

/** Finds what can be put into a text at the caret, while it is typed or when a person asks. */
export function useCompletion(
  text: string,
  caret: number,
  names: HistoryNames | undefined,
): CompletionState {
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const found = useMemo(() => {
    const { clients = [], models = [], services = [], tools = [], tags = [] } = names ?? {};
    return completeFilter(text, caret, {
      clients,
      models,
      services: services.map(({ name }) => name),
      tools,
      tags,
    });
  }, [text, caret, names]);
  const [seen, setSeen] = useState(found);
  if (seen !== found) {
    setSeen(found);
    setMarked(-1);
  }
  const completions = isOpen ? found.completions : NO_COMPLETIONS;
  return {
    completions,
    marked,
    open: () => setOpen(true),
    close: () => {
      setOpen(false);
      setMarked(-1);
    },
    move: (step) => {
      const places = completions.length + 1;
      // One place more than there are completions: that of none.
      setMarked((before) => ((before + 1 + step + places) % places) - 1);
    },
    put: (completion) => {
      const rest = text.slice(found.to);
      const isWhole = !/[:<>=]$/u.test(completion.text) && !rest.startsWith(' ');
      const put = `${text.slice(0, found.from)}${completion.text}${isWhole ? ' ' : ''}`;
      return { text: put + rest, caret: put.length };
    },
  };
}
