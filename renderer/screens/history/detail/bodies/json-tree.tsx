import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { JsonView } from 'react-json-view-lite';
import { shortenJson } from './shorten-json.ts';
import classes from './json-tree.module.css';

interface JsonTreeProps {
  readonly value: object;
  /** The thing that it is, for the accessible label: "the request". */
  readonly label: string;
}

const STYLE = {
  container: classes['tree'] ?? '',
  basicChildStyle: classes['node'] ?? '',
  childFieldsContainer: classes['children'] ?? '',
  label: classes['name'] ?? '',
  clickableLabel: classes['name'] ?? '',
  nullValue: classes['constant'] ?? '',
  undefinedValue: classes['constant'] ?? '',
  numberValue: classes['constant'] ?? '',
  booleanValue: classes['constant'] ?? '',
  otherValue: classes['constant'] ?? '',
  stringValue: classes['text'] ?? '',
  punctuation: classes['punctuation'] ?? '',
  expandIcon: `${classes['icon']} ${classes['closed']}`,
  collapseIcon: `${classes['icon']} ${classes['opened']}`,
  collapsedContent: classes['folded'] ?? '',
  ariaLables: { collapseJson: 'Fold', expandJson: 'Unfold' },
  stringifyStringValues: true,
};

/** Levels that are unfolded at first, and the number of entries up to which they are. */
const OPEN_LEVELS = 3;
const OPEN_ENTRIES = 20;

/** Shows a JSON value as a tree whose nodes can be folded. Long texts and lists are shortened. */
export function JsonTree({ value, label }: JsonTreeProps) {
  const shown = useMemo(() => shortenJson(value), [value]);
  if (typeof shown !== 'object' || shown === null) return null;
  return (
    <>
      <JsonView
        data={shown}
        style={STYLE}
        shouldExpandNode={isOpenAtFirst}
        aria-label={`JSON of ${label}`}
      />
      <Text size="xs" c="dimmed">
        Long texts and lists are shortened here. “Text” and Copy have everything.
      </Text>
    </>
  );
}

function isOpenAtFirst(level: number, value: unknown): boolean {
  const entries = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return level === 0 || (level < OPEN_LEVELS && entries <= OPEN_ENTRIES);
}
