import { Combobox, type ComboboxStore, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useCalls } from '../../../api/client.ts';
import { useModelChoice } from '../../../api/use-model-list.ts';
import classes from './head.module.css';
import { filterOptions, type ModelOption, toModelOptions } from './model-options.ts';

/** Maximum length of a model id. */
const MAX_LENGTH = 256;
const PAUSE_MS = 150;

interface ModelSearchProps {
  readonly value: string;
  readonly store: ComboboxStore;
}

/** Searches the live model list by any of the words, most recently used first. */
export function ModelSearch({ value, store }: ModelSearchProps) {
  const [find, setFind] = useState('');
  const models = useModelChoice();
  const options = useMemo(() => toModelOptions(models), [models]);
  const query = useDeferredValue(find.trim());
  const shown = useMemo(() => filterOptions(options, query), [options, query]);
  const isTyped = query !== '' && !options.some(({ id }) => id === query);
  // Enter selects the first result.
  useEffect(() => {
    if (query === '') store.updateSelectedOptionIndex('active', { scrollIntoView: true });
    else store.selectFirstOption();
    // oxlint-disable-next-line react/exhaustive-deps -- the store is another object at every rendering
  }, [query, shown]);
  return (
    <div role="dialog" aria-label="Choose a model">
      <Combobox.Search
        value={find}
        onChange={(event) => setFind(event.currentTarget.value.slice(0, MAX_LENGTH))}
        placeholder="Find, or type an id"
        aria-label="Find a model"
        autoComplete="off"
        spellCheck={false}
      />
      <Combobox.Options className={classes['options'] ?? ''} aria-label="Models" tabIndex={0}>
        {shown.map((option) => (
          <Option key={option.id} option={option} active={option.id === value} />
        ))}
        {isTyped && (
          <Combobox.Option value={query} key="typed">
            <Text size="sm" component="div">
              Use <span className={classes['optionId']}>{query}</span> as typed
            </Text>
          </Combobox.Option>
        )}
        {shown.length === 0 && !isTyped && (
          <Combobox.Empty>The service has not sent a model list. Type an id.</Combobox.Empty>
        )}
      </Combobox.Options>
      {isTyped && shown.length === 0 && models.length > 0 && <Meaning name={query} />}
    </div>
  );
}

function Option({ option, active }: { readonly option: ModelOption; readonly active: boolean }) {
  const { id, title } = option;
  return (
    <Combobox.Option value={id} active={active} className={classes['option'] ?? ''}>
      <span className={classes['optionId']}>{id}</span>
      {title !== null && <span className={classes['optionTitle']}>{title}</span>}
    </Combobox.Option>
  );
}

/** Explains why an id that is not in the list is wrong. */
function Meaning({ name }: { readonly name: string }) {
  const [debouncedName] = useDebouncedValue(name, PAUSE_MS);
  const { data, isPlaceholderData } = useQuery(
    useCalls().models.explain.queryOptions({ input: { name: debouncedName } }),
  );
  return (
    <Combobox.Footer>
      <Text size="xs" role="status" mih="2.6em">
        {isPlaceholderData ? '' : data?.sentence}
      </Text>
    </Combobox.Footer>
  );
}
