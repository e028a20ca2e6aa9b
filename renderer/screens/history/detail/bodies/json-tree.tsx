import { Text, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { JsonView } from 'react-json-view-lite';
import { pluralize } from '../../../../../shared/format.ts';
import { CopyButton } from '../../../../components/copy-button.tsx';
import { findInJson, MAX_JSON_MATCHES } from './find-in-json.ts';
import { findMatches, markMatches } from './find-matches.ts';
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

/** Shows a JSON value as a tree whose nodes can be folded, with a search. Long texts and lists are shortened. */
export function JsonTree({ value, label }: JsonTreeProps) {
  const [search, setSearch] = useState('');
  const used = useDeferredValue(search);
  return (
    <>
      <TextInput
        size="xs"
        aria-label={`Find in the JSON of ${label}`}
        placeholder="Find a name or a value, and its path"
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {used === '' ? (
        <Tree {...{ value, label }} />
      ) : (
        <Matches {...{ value, label }} search={used} />
      )}
    </>
  );
}

function Tree({ value, label }: JsonTreeProps) {
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

/** Lists the values with a text in their name or content, with paths to copy. */
function Matches({ value, label, search }: JsonTreeProps & { readonly search: string }) {
  const matches = useMemo(() => findInJson(value, search), [value, search]);
  const more = matches.length === MAX_JSON_MATCHES ? ', and there may be more' : '';
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        {matches.length === 0
          ? 'Not found'
          : `${pluralize(matches.length, 'match', 'matches')}${more}`}
      </Text>
      <ul className={classes['matches']} aria-label={`Matches in the JSON of ${label}`}>
        {matches.map(({ path, shown }) => (
          <li key={path}>
            <code className={classes['path']}>{path}</code>
            <CopyButton value={path} what={`the path ${path}`} />
            <div className={classes['found']}>
              {markMatches({ from: 0, text: shown }, findMatches(shown, search), search.length).map(
                ({ text, match }, place) =>
                  match === null ? text : <mark key={place}>{text}</mark>,
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function isOpenAtFirst(level: number, value: unknown): boolean {
  const entries = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return level === 0 || (level < OPEN_LEVELS && entries <= OPEN_ENTRIES);
}
